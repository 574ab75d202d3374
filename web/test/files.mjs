// Files that a page is given faster than a person could choose them, for tests in a browser.

/** Runs in the page: `globalThis.openFile` opens a file of a name and content, and waits for nothing. */
function define() {
  globalThis.openFile = (name, content) => {
    const input = document.querySelector("input[type=file]");
    const all = new DataTransfer();
    all.items.add(new File([content], name));
    input.files = all.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  };
}

/** The answer of `use`, which runs in a page, has `openFile`, and gets what is given. */
export async function withFiles(page, use, given) {
  await page.evaluate(define);
  return page.evaluate(use, given);
}
