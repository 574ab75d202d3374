//! Records in the compiled part how it was compiled.

#[expect(clippy::disallowed_methods, reason = "cargo says it by variables")]
fn main() {
    let of = |name: &str| std::env::var(name).unwrap_or_default();
    let guided = of("CARGO_ENCODED_RUSTFLAGS").contains("-Cprofile-use=");
    let guided = if guided { ", profile-guided" } else { "" };
    println!("cargo::rustc-env=AIRTCP_BUILD={}{guided}", of("PROFILE"));
    println!("cargo::rerun-if-changed=build.rs");
}
