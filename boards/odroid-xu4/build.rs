//! Links the image with this board's linker script.

fn main() {
    let linker = concat!(env!("CARGO_MANIFEST_DIR"), "/../../linker");
    println!("cargo::rustc-link-arg-bins=-L{linker}");
    println!("cargo::rustc-link-arg-bins=-Todroid-xu4.x");
    println!("cargo::rerun-if-changed={linker}");
}
