// The page is complete without this: it only chooses what is shown. It reads no names, only numbers of panels.
(() => {
  const all = (query) => [...document.querySelectorAll(query)];
  document.documentElement.classList.add("js");

  // A select box or slider shows the panels of its number.
  const show = (control) => {
    for (const panel of all(`[data-panel="${control.dataset.panels}"]`)) {
      panel.toggleAttribute("hidden", panel.dataset.of !== control.value);
    }
  };
  for (const control of all("[data-panels]")) {
    control.addEventListener("input", () => show(control));
    show(control);
  }

  // Runs a slider from its start to its end.
  for (const button of all("[data-play]")) {
    const slider = document.getElementById(button.dataset.play);
    let timer = 0;
    const stop = () => {
      clearInterval(timer);
      timer = 0;
      button.textContent = "Play";
    };
    button.addEventListener("click", () => {
      if (timer) return stop();
      if (slider.value === slider.max) slider.value = 0;
      button.textContent = "Pause";
      timer = setInterval(() => {
        slider.stepUp();
        show(slider);
        if (slider.value === slider.max) stop();
      }, 350);
      show(slider);
    });
  }

  // What the cells of the confusion matrix say.
  for (const units of all("[data-units]")) {
    units.addEventListener("input", (event) => {
      for (const table of all("table.confusion")) table.dataset.show = event.target.value;
    });
  }

  // Paper has nothing to click on.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = all("details:not([open])");
    for (const details of closed) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of closed) details.open = false;
  });
})();
