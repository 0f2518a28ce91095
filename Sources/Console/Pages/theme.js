import { select } from "/console/elements.js";
import { recall, remember } from "/console/memory.js";

const themes = [["system", "System"], ["light", "Light"], ["dark", "Dark"]];

function apply(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

function saved() {
  const theme = recall("theme", "system");
  return themes.some(([name]) => name === theme) ? theme : "system";
}

/** Returns a select element for the theme, which this browser remembers. */
export function themeSwitch() {
  const control = select(themes, { "aria-label": "Theme", class: "theme", onchange: () => {
    remember("theme", control.value);
    apply(control.value);
  } });
  control.value = saved();
  return control;
}

apply(saved());
