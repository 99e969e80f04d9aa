// Runs inside a copy of the page: looks whether everything was drawn, works every control, and writes what it found.
addEventListener("load", () => {
  const all = (query, from = document) => [...from.querySelectorAll(query)];
  const name = (element) => `${element.tagName} ${element.closest("section")?.id ?? "head"}`;
  const size = (element) => element.getBoundingClientRect();
  const empty = (element) => size(element).width < 1 || size(element).height < 1;
  // Closed details have no size; open, they must have one.
  for (const details of all("details")) details.open = true;
  const visible = (query) => all(query).filter((element) => !element.closest("[hidden]"));

  for (const element of visible("section, figure, table, svg")) {
    if (empty(element)) problems.push(`${name(element)} has no size`);
  }
  const charts = visible("svg[role=img]");
  for (const chart of charts) {
    if (!chart.getAttribute("aria-label")) problems.push(`${name(chart)} has no words`);
    const drawn = all("path:not(.grid), circle", chart).filter((mark) => !mark.closest("[hidden], .axes") && !empty(mark));
    if (drawn.length === 0) problems.push(`${name(chart)} is empty`);
    for (const text of all("text", chart)) {
      const [inner, outer] = [size(text), size(chart)];
      if (inner.left < outer.left - 1 || inner.right > outer.right + 1) problems.push(`${name(chart)}: '${text.textContent}' is cut`);
    }
  }
  for (const bar of visible(".bars i")) {
    if (empty(bar)) problems.push(`${name(bar)} has a bar without length`);
  }
  // A colour that is not defined is black or transparent.
  for (const mark of visible(".bars i, .swatch")) {
    if (getComputedStyle(mark).backgroundColor === "rgba(0, 0, 0, 0)" && getComputedStyle(mark).display !== "none") {
      problems.push(`${name(mark)} has no colour`);
    }
  }
  for (const mark of visible("svg .point, svg .regions path")) {
    if (getComputedStyle(mark).fill === "rgb(0, 0, 0)") problems.push(`${name(mark)} has no colour`);
  }
  const page = document.documentElement;
  if (page.scrollWidth > page.clientWidth) problems.push(`the page is ${page.scrollWidth} wide in ${page.clientWidth}`);
  for (const link of all("a")) {
    if (!document.querySelector(link.getAttribute("href"))) problems.push(`a link to ${link.getAttribute("href")} leads nowhere`);
  }

  // Every choice shows its own panels and no others.
  let panels = 0;
  for (const control of all("[data-panels]")) {
    const mine = all(`[data-panel="${control.dataset.panels}"]`);
    const values = control.options ? [...control.options].map((option) => option.value) : [...Array(Number(control.max) + 1).keys()].map(String);
    for (const value of values) {
      control.value = value;
      control.dispatchEvent(new Event("input", { bubbles: true }));
      const shown = mine.filter((panel) => getComputedStyle(panel).display !== "none");
      if (shown.length === 0 || shown.some((panel) => panel.dataset.of !== value || empty(panel))) problems.push(`panel ${control.id} ${value}`);
      panels += 1;
    }
  }
  let units = 0;
  for (const radio of all("[data-units] input")) {
    radio.click();
    const cells = visible("table.confusion span[class]").filter((span) => !span.closest("th") && getComputedStyle(span).display !== "none");
    if (cells.length === 0 || cells.some((span) => span.className !== radio.value)) problems.push(`unit ${radio.value}`);
    units += 1;
  }

  const found = document.createElement("pre");
  found.id = "found";
  found.textContent = problems.length ? problems.join("\n") : `charts ${charts.length}, panels ${panels}, units ${units}`;
  document.body.append(found);
});
