"""Checks that apply to every page of the console: accessible names, keyboard access, sufficient contrast, and a width
that fits the window."""
from browser import Failure

# The contrast of text and background according to WCAG 2.2 (1.4.3): at least 4.5 to 1, or 3 to 1 for large text.
CONTRAST = r"""(() => {
  const number = (text) => (text.match(/[\d.]+/g) ?? []).map(Number);
  const over = (above, below) => {
    const alpha = above[3] ?? 1;
    return [0, 1, 2].map((index) => above[index] * alpha + below[index] * (1 - alpha));
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const layers = [];
    for (let one = element; one; one = one.parentElement) layers.push(number(getComputedStyle(one).backgroundColor));
    return layers.reverse().reduce((below, layer) => layer.length ? over(layer, below) : below, [255, 255, 255]);
  };
  const faults = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const text = walker.currentNode.textContent.trim();
    const style = getComputedStyle(element);
    if (!text || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (element.closest(":disabled, .unseen, option, script, noscript") || element.getClientRects().length === 0) continue;
    const back = behind(element);
    const [one, other] = [light(over(number(style.color), back)), light(back)].sort((a, b) => b - a);
    const ratio = (one + 0.05) / (other + 0.05);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (isLarge ? 3 : 4.5)) faults.push(`contrast ${ratio.toFixed(2)}: ${text.slice(0, 40)}`);
  }
  return faults;
})()"""

STRUCTURE = r"""(async () => {
  const faults = [];
  const seen = (element) => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
  if (document.querySelectorAll("h1").length !== 1) faults.push("the page does not have exactly one h1");
  if (!document.documentElement.lang || !document.title) faults.push("language or title is missing");
  let level = 0;
  for (const heading of [...document.querySelectorAll("h1, h2, h3, h4")].filter(seen)) {
    const next = Number(heading.tagName[1]);
    if (next > level + 1) faults.push(`heading level skipped at ${heading.innerText}`);
    level = next;
  }
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  for (const id of new Set(ids.filter((id, index) => ids.indexOf(id) !== index))) faults.push(`the id ${id} is used twice`);
  for (const element of document.querySelectorAll("[aria-describedby], [aria-labelledby]")) {
    for (const id of (element.getAttribute("aria-describedby") ?? element.getAttribute("aria-labelledby")).split(" ")) {
      if (!document.getElementById(id)) faults.push(`no element has the id ${id}`);
    }
  }
  for (const image of document.querySelectorAll("img")) if (!image.hasAttribute("alt")) faults.push("an image without alt");
  for (const element of document.querySelectorAll("[tabindex]")) {
    if (element.tabIndex > 0) faults.push("a tabindex above 0 changes the order of the keyboard");
  }
  // WCAG 2.2 (2.5.8): 24 pixels, or a link within text.
  for (const element of [...document.querySelectorAll("button:not(.link), input, select, summary, nav a")].filter(seen)) {
    const box = element.getBoundingClientRect();
    const label = element.closest("label")?.getBoundingClientRect() ?? box;
    if (Math.max(box.height, label.height) < 24 || Math.max(box.width, label.width) < 24) {
      if (!element.closest(".skip")) faults.push(`small target: ${element.innerText || element.name}`);
    }
  }
  // A page reports a truncated table once the table is laid out, so check a new table again.
  let unsaid;
  for (let frames = 0; frames < 60; frames += 1) {
    unsaid = [...document.querySelectorAll(".scroll")].filter(seen).filter((frame) => {
      const sign = frame.querySelector(".sideways");
      return (frame.scrollWidth > frame.clientWidth + 1) !== Boolean(sign && seen(sign));
    });
    if (unsaid.length === 0) break;
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  for (const frame of unsaid) faults.push(`${frame.ariaLabel}: the hint about sideways scrolling is missing or wrong`);
  if (document.documentElement.scrollWidth > innerWidth + 1) {
    faults.push(`the page is ${document.documentElement.scrollWidth} wide in a window of ${innerWidth}`);
  }
  return faults;
})()"""

# The roles of controls; each control needs a name that a screen reader announces.
CONTROLS = {"button", "link", "textbox", "searchbox", "combobox", "checkbox", "switch", "radio", "tab", "img", "image"}


def unnamed(browser):
    nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
    return [f"a {node['role']['value']} without a name" for node in nodes
            if not node.get("ignored") and node["role"]["value"] in CONTROLS
            and not node.get("name", {}).get("value")]


# The page can redraw its parts at any time, so the controls are looked up at each step. A group of radio buttons is one
# stop, at the selected button.
USABLE = """[...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")]
  .filter((element) => !element.disabled && (element.type !== "radio" || element.checked) && element.checkVisibility({ visibilityProperty: true })
    && element.getClientRects().length)"""


def keyboard_order(browser):
    """Checks that Tab moves through the controls in document order, from top to bottom, and shows the focus.

    If the page redraws its parts during the check, the check starts again.
    """
    for _ in range(5):
        faults, is_steady = walk(browser)
        if not faults or is_steady:
            break
    return faults


def walk(browser):
    """Returns the problems that this function finds, and whether the page remained unchanged."""
    browser.value("document.querySelector('.skip').focus()")
    count = browser.value(f"{USABLE}.length")
    faults, is_steady = [], True
    for index in range(min(count, 40)):
        at, present, outline, shown = browser.value(f"""(() => {{
          const [active, usable] = [document.activeElement, {USABLE}];
          return [usable.indexOf(active), usable.length, getComputedStyle(active).outlineStyle,
            active.outerHTML.slice(0, 80)];
        }})()""")
        # If no control has the focus, the page has just been redrawn, or the problem also occurs in the next walk.
        is_steady = is_steady and present == count and at >= 0
        if at != index:
            faults.append(f"Tab number {index} moves to number {at}, {shown}")
            break
        if index > 0 and outline == "none":
            faults.append(f"the focus is not visible on {shown}")
        browser.key("Tab")
        # The parts of a date or time, and the button that opens its picker, are separate stops.
        for _ in range(8):
            if not browser.value(f"""['date', 'time', 'datetime-local'].includes(document.activeElement.type)
                && {USABLE}.indexOf(document.activeElement) == {index}"""):
                break
            browser.key("Tab")
    return faults, is_steady


def check_page(browser, keyboard=True):
    faults = browser.value(CONTRAST) + browser.value(STRUCTURE) + unnamed(browser)
    if keyboard:
        faults += keyboard_order(browser)
    if faults:
        where = browser.value("`${document.title}, ${innerWidth} wide`")
        raise Failure(f"{where}:\n" + "\n".join(faults))
