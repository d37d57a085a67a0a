// A click on a column's name sorts by it: numbers from the largest, texts from A; a second click turns that round.
const number = cell => parseFloat((cell.querySelector("b") ?? cell).textContent.replace(/[,−✓✗~↕–?\s]/g, c => c === "−" ? "-" : ""));
const text = cell => cell.textContent.trim();
function sort(table, column, header) {
  const rows = [...table.tBodies[0].rows], numeric = rows.filter(row => !isNaN(number(row.cells[column]))).length > rows.length / 2;
  const before = header.getAttribute("aria-sort");
  const order = before ? (before === "ascending" ? "descending" : "ascending") : (numeric ? "descending" : "ascending");
  const turn = order === "ascending" ? 1 : -1;
  const value = row => number(row.cells[column]);
  rows.sort((one, other) => numeric
    ? (isNaN(value(one)) - isNaN(value(other))) || turn * (value(one) - value(other))
    : turn * text(one.cells[column]).localeCompare(text(other.cells[column])));
  for (const cell of header.parentNode.cells) cell.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", order);
  table.tBodies[0].append(...rows);
}
for (const table of document.querySelectorAll(".scroll table")) {
  [...table.tHead.rows[0].cells].forEach((header, column) => {
    const button = Object.assign(document.createElement("button"), { type: "button", onclick: () => sort(table, column, header) });
    button.append(...header.childNodes);
    header.append(button);
  });
}

// The filter of the claims: by paper, verdict and text.
const filter = document.querySelector("#filter");
if (filter) {
  const shown = () => {
    const { paper, verdict, words } = Object.fromEntries(new FormData(filter));
    let count = 0;
    for (const group of document.querySelectorAll(".forest")) {
      let some = false;
      for (const claim of group.querySelectorAll("li[data-verdict]")) {
        const fits = (!paper || group.dataset.paper === paper) && (!verdict || claim.dataset.verdict === verdict)
          && words.toLowerCase().split(/\s+/).every(word => claim.textContent.toLowerCase().includes(word));
        claim.hidden = !fits;
        document.getElementById(claim.querySelector("a").hash.slice(1)).hidden = !fits;  // its row under its paper
        some ||= fits;
        count += fits;
      }
      group.closest("div").hidden = !some;
    }
    document.querySelector("#matching").textContent = count ? `${count} claim${count > 1 ? "s" : ""}` : "No claim has all of these.";
  };
  filter.hidden = false;
  filter.addEventListener("input", shown);
  filter.addEventListener("submit", event => event.preventDefault());
}
function showAll() {
  filter?.reset();
  filter?.dispatchEvent(new Event("input"));
}

// A link into something folded unfolds it, and one to a claim that is filtered out shows all.
const unfold = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target?.hidden) showAll();
  for (let fold = target?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  target?.scrollIntoView();
};
addEventListener("hashchange", unfold);
unfold();

// On paper everything is shown and unfolded.
addEventListener("beforeprint", () => {
  showAll();
  document.querySelectorAll("details").forEach(fold => { fold.open = true; });
});

// The contents name the section in view.
const links = new Map([...document.querySelectorAll("nav a")].map(link => [link.hash.slice(1), link]));
const watching = new IntersectionObserver(entries => {
  for (const entry of entries.filter(entry => entry.isIntersecting)) {
    links.forEach(link => link.removeAttribute("aria-current"));
    const link = links.get(entry.target.id);
    link.setAttribute("aria-current", "true");
  }
}, { rootMargin: "-10% 0px -80% 0px" });
for (const id of links.keys()) watching.observe(document.getElementById(id));
