//! Memory for messages: pages that channels take when they are made and give back when they are closed.

use core::mem::MaybeUninit;

use heapless::Vec;
use spin::Mutex;

/// Bytes of a page: the longest message fits.
pub const PAGE: usize = 4096;
/// Pages of a system: ten groups of hackbench with four messages of 4096 bytes in each of their 200 channels, and some
/// more.
pub const PAGES: usize = 1024;

const _: () = assert!(PAGE >= abi::types::MAX_MESSAGE);

/// Ownership of a page.
pub type PageRef = &'static mut [u8; PAGE];
/// A page that was never used.
pub type Fresh = MaybeUninit<[u8; PAGE]>;

/// The pages that nobody has. The lock is a leaf.
pub struct Pages {
    stock: Mutex<Stock>,
}

struct Stock {
    fresh: Option<&'static mut [Fresh]>,
    returned: Vec<PageRef, PAGES>,
}

impl Pages {
    /// No page.
    pub const fn new() -> Pages {
        Pages { stock: Mutex::new(Stock { fresh: None, returned: Vec::new() }) }
    }

    /// Brings the pages, at most [`PAGES`] of them. Called once, at boot.
    pub fn furnish(&self, room: &'static mut [Fresh]) {
        self.stock.lock().fresh = Some(room);
    }

    /// Takes a page. What it holds is zero or an old message.
    pub fn take(&self) -> Option<PageRef> {
        let mut stock = self.stock.lock();
        if let Some(page) = stock.returned.pop() {
            return Some(page);
        }
        let (page, rest) = stock.fresh.take()?.split_first_mut()?;
        stock.fresh = Some(rest);
        Some(page.write([0; PAGE]))
    }

    /// Gives a page back.
    pub fn give_back(&self, page: PageRef) {
        if self.stock.lock().returned.push(page).is_err() {
            unreachable!("no more pages come back than there are");
        }
    }
}

impl Default for Pages {
    fn default() -> Self {
        Pages::new()
    }
}
