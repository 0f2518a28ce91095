#!/usr/bin/env python3
"""Uses the provider console as a user does, in a headless browser: signs in, looks at the registrations, writes a
campaign, sees its errors, previews each language, sends it, pauses it, continues it, and reads the report.
campaign_flow.py CHROMIUM URL TOKEN-FILE TOPIC DEVICES CAMPAIGN-FILE STRINGS-FILE [PICTURES-FOLDER]"""
import pathlib
import sys

from browser import Failure
from checks import check_page
from visit import look_around, sign_in, sign_out, visit


def fill(browser, control, text):
    browser.type("textbox", control, text)


def write(browser, topic):
    """Fills in the form, which shows each error next to its field during typing."""
    browser.click("link", "New campaign")
    browser.wait(f"document.querySelector('[name=topic]').value == {topic!r}", "the only app is there already")
    wrong = "[...document.querySelectorAll('.error:not([hidden])')].map(one => one.innerText).join(' ')"
    # Texts are checked during typing, whether the app has been named or not.
    browser.type("combobox", "App", "")
    fill(browser, "Body, en", "%d things")
    beside = "document.querySelector('[data-name=body]').closest('.field').querySelector('.error:not([hidden])')?.innerText"
    browser.wait(f"{beside}?.startsWith('No value for “%d”')")
    if "not a valid bundle identifier" in browser.value(wrong):
        raise Failure("what was not filled in yet is called wrong")
    browser.type("combobox", "App", topic)
    fill(browser, "Title, en", "News")
    fill(browser, "Body, en", "%@ has %d matches")
    browser.wait(f"{wrong}.includes('It has a placeholder for argument 1, and there are 0')")
    fill(browser, "Placeholder values, one per line", "Ann\n3")
    browser.click("button", "Add a language")
    fill(browser, "Language of Language 2", "fr")
    fill(browser, "Title, fr", "Nouvelles")
    fill(browser, "Body, fr", "%d matchs pour %@")
    browser.wait(f"{wrong}.includes('Its placeholders are 1 number, 2 text, those of en 1 text, 2 number')")
    check_page(browser)
    fill(browser, "Body, fr", "%2$d matchs pour %1$@")
    browser.wait(f"{wrong} == ''", "no error is left")
    # Send nothing to devices whose language the campaign lacks.
    browser.value("""(() => { const fallback = document.querySelector('[name=fallback]'); fallback.value = 'none';
      fallback.dispatchEvent(new Event('input', { bubbles: true })); })()""")
    browser.wait(f"{wrong}.includes('2 devices speak ja, which the campaign lacks, and it has no fallback')")
    browser.click("button", "Dry run")
    browser.wait("document.querySelector('.check.bad')?.innerText.startsWith('Would be rejected')")
    browser.value("""(() => { const fallback = document.querySelector('[name=fallback]'); fallback.value = 'en';
      fallback.dispatchEvent(new Event('input', { bubbles: true })); })()""")
    browser.wait(f"{wrong} == ''", "no error is left")


def preview(browser, devices):
    browser.click("button", "Dry run")
    browser.wait(f"document.querySelector('.check.good')?.innerText.startsWith('Would be sent to {devices} devices.')")
    shown = browser.value("[...document.querySelectorAll('.previews li')].map(one => one.innerText).join('\\n')")
    for part in ("Nouvelles", "3 matchs pour Ann", "Ann has 3 matches", "shown in en (fallback)"):
        if part not in shown:
            raise Failure(f"the preview lacks '{part}':\n{shown}")


def finished(browser, devices):
    browser.wait("document.querySelector('[role=status]')?.innerText == 'Finished'", "the end")
    browser.wait("document.querySelector('[aria-label=Report] h2')?.innerText == 'Report'", "the report")
    if browser.value("document.querySelector('progress').value / document.querySelector('progress').max") != 1:
        raise Failure("the bar is not full")
    browser.wait(f"document.querySelector('.figures').innerText.startsWith('{devices} of {devices} devices')")
    facts = browser.value("document.querySelector('[aria-label=Report] dl').innerText").replace("\n", " ")
    if f"Accepted {devices}" not in facts:
        raise Failure(f"the report says {facts}")


def hold_and_go_on(browser, devices, picture):
    """Runs a slow campaign: its progress bar moves and shows a rate; it is paused, and continues."""
    browser.click("link", "New campaign")
    fill(browser, "Rate limit (per second)", "2")
    browser.click("button", "Dry run")
    browser.click("button", f"Send to {devices} devices")
    browser.wait("document.querySelector('.figures')?.innerText.includes('per second · about')", "rate and estimate")
    picture("provider-progress")
    browser.click("button", "Pause")
    browser.wait("document.querySelector('[role=status]')?.innerText == 'Paused'")
    browser.element("button", "Resume")
    check_page(browser)
    browser.click("link", "Overview")
    browser.wait("document.querySelector('.verdict.bad')?.innerText.includes('1 campaign paused')")
    browser.click("link", "Campaigns")
    browser.wait("document.querySelector('h1').innerText == 'Campaigns' && document.querySelector('tbody .badge')?.innerText == 'paused'", "the newest comes first")
    browser.value("document.querySelector('tbody a').click()")
    browser.click("button", "Resume")
    finished(browser, devices)


def to_a_list(browser):
    """An invalid token in a list is reported with its line, and nothing of the campaign is stored."""
    browser.click("link", "New campaign")
    browser.wait("document.querySelector('[name=to]')")
    browser.value("""(() => { const to = document.querySelector('[name=to]'); to.value = 'list';
      to.dispatchEvent(new Event('input', { bubbles: true })); })()""")
    browser.type("textbox", "Device tokens", "00ff\nnothing")
    browser.click("button", "Dry run")
    browser.wait("[...document.querySelectorAll('.error:not([hidden])')].some(one => one.innerText.startsWith('Line 2, deviceToken: it is not'))")
    check_page(browser)
    browser.value("""(() => { const to = document.querySelector('[name=to]'); to.value = 'all';
      to.dispatchEvent(new Event('input', { bubbles: true })); })()""")


def from_files(browser, files, devices):
    browser.click("link", "New campaign")
    browser.wait("document.querySelector('[name=rate]')")
    browser.value("document.querySelector('[name=rate]').value = ''")
    browser.click("DisclosureTriangle", "Use a file instead")
    node = browser.call("DOM.querySelector", nodeId=browser.call("DOM.getDocument")["root"]["nodeId"], selector="[name=files]")["nodeId"]
    browser.call("DOM.setFileInputFiles", nodeId=node, files=files[:1])
    wrong = "document.querySelector('details[open] .error:not([hidden])')?.innerText"
    browser.wait(f"{wrong}?.includes('is not among the files that came along')", "the strings file is missing")
    check_page(browser)
    browser.call("DOM.setFileInputFiles", nodeId=node, files=files)
    browser.wait(f"{wrong} === undefined", "both are there")
    browser.click("button", "Dry run")
    browser.wait(f"document.querySelector('.check.good')?.innerText.startsWith('Would be sent to {devices} devices.')")
    browser.wait("document.querySelector('.previews').innerText.includes('Des fichiers')")


def keeps_focus(browser):
    """The keyboard focus stays in place when the page redraws changed parts."""
    browser.value("window.former = document.querySelector('section[aria-label=\"Recent campaigns\"] a'); former.focus()")
    browser.wait("!window.former.isConnected", "the overview drawn anew")
    browser.wait("document.activeElement.getAttribute('href') === window.former.getAttribute('href')",
                 "the focus on the link that took its place")


def main(chromium, url, token_file, topic, devices, campaign, strings, pictures=None):
    def flow(browser):
        def picture(name, whole=False):
            if pictures:
                browser.picture(f"{pictures}/{name}.png", whole)

        sign_in(browser, url, pathlib.Path(token_file).read_text().strip())
        browser.wait("document.querySelector('.verdict').innerText.match(/Connected to|Last connected to/)", "the connection")
        check_page(browser)
        keeps_focus(browser)
        picture("provider-overview")
        write(browser, topic)
        preview(browser, devices)
        check_page(browser)
        picture("provider-compose", whole=True)
        browser.click("button", f"Send to {devices} devices")
        finished(browser, devices)
        check_page(browser)
        hold_and_go_on(browser, devices, picture)
        picture("provider-report")
        to_a_list(browser)
        from_files(browser, [campaign, strings], devices)
        look_around(
            browser, ("Campaigns", "New campaign", "Overview"),
            lambda screen, look: picture(f"provider-{screen.lower().replace(' ', '-')}-{look}"))
        sign_out(browser)

    visit(chromium, flow)


if __name__ == "__main__":
    main(*sys.argv[1:])
