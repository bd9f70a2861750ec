//! One page that needs nothing else: the table, the pictures, no script.

use super::{Comparison, table};

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color:#222;background:#fff}\
                     pre{background:#f4f4f4;padding:1em;overflow-x:auto;line-height:1.35}svg{max-width:100%;height:auto}\
                     h2{margin-top:2em;border-bottom:1px solid #ccc}\
                     @media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}pre{background:#242424}svg{background:#fff}}";

/// The page.
pub fn page(comparison: &Comparison<'_>, pictures: &[(String, String)]) -> String {
    let title = escaped(&comparison.scenario.name);
    let mut body = format!("<h1>{title}</h1>\n<p>{}</p>\n", escaped(&comparison.scenario.about));
    body += &format!("<pre>{}</pre>\n", escaped(&table(comparison)));
    let mut last = "";
    for (policy, svg) in pictures {
        if policy != last {
            body += &format!("<h2>{}</h2>\n", escaped(policy));
            last = policy;
        }
        body += &format!("<figure>{svg}</figure>\n");
    }
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\"><title>{title}</title><style>{STYLE}</style></head>\n<body>\n{body}</body></html>\n"
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
