"use strict";
// Without this script the tables are as they are; with it, their columns sort.
for (const table of document.querySelectorAll("table.figures")) {
  const body = table.tBodies[0];
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    const value = (row) => row.cells[column].dataset.value;
    const byName = (a, b) => value(a).localeCompare(value(b), undefined, { numeric: true });
    const byNumber = (a, b) => value(a) - value(b);
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const before = heading.getAttribute("aria-sort");
      const down = before ? before === "ascending" : column > 0;
      headings.forEach((each) => each.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", down ? "descending" : "ascending");
      // The baseline has no difference: it stays last.
      const known = [...body.rows].filter((row) => value(row) !== undefined);
      const rest = [...body.rows].filter((row) => value(row) === undefined);
      known.sort(column > 0 ? byNumber : byName);
      body.append(...(down ? known.reverse() : known), ...rest);
    });
  });
}
