"""The parts of campaign_flow.py in which another user or program changes a campaign that a page shows, or in which the
user changes the campaign's file."""
import json

from browser import Failure
from checks import check_page

STATUS = "document.querySelector('section [role=status]')?.innerText"
FORM_ERROR = "document.querySelector('form [role=alert] .error')?.innerText"


def ask(browser, method, path, body="undefined"):
    """Sends a request beside the page, as another program does, and returns the object in the response."""
    return browser.value(
        f"fetch(`/campaigns/${{new URLSearchParams(location.hash.split('?')[1]).get('id')}}{path}`, {{ method: {method!r}, "
        f"headers: {{ 'x-belfry-console': '1', 'content-type': 'application/json' }}, body: {body} }})"
        ".then((answer) => answer.json())")


def rename(browser, name):
    """Changes the name and the text of the campaign that the page shows or edits."""
    topic = ask(browser, "GET", "")["topic"]
    body = f"""JSON.stringify({{ topic: {topic!r}, name: {name!r}, alert: {{ en: {{ body: {name!r} }} }} }})"""
    if ask(browser, "PUT", "", body)["name"] != name:
        raise Failure("the campaign was not changed")


def keeps_changes_of_others(browser):
    """Checks that the form and the page of a draft neither overwrite nor send a version that the user has not seen."""
    browser.click("link", "New campaign")
    browser.wait("document.querySelector('h1').innerText == 'New campaign' && document.querySelector('[name=topic]')?.value")
    browser.type("textbox", "Name", "Shared")
    browser.type("textbox", "Body, en", "First")
    browser.click("button", "Save draft")
    browser.wait(f"{STATUS} == 'Draft'")
    # The form names what has changed, and keeps the other user's version unless the user decides otherwise.
    browser.click("link", "Edit")
    browser.wait("document.querySelector('[name=name]')?.value == 'Shared'")
    rename(browser, "Second")
    browser.type("textbox", "Body, en", "Mine")
    browser.click("button", "Save changes")
    browser.wait(f"{FORM_ERROR}?.startsWith('Somebody changed the name and text of “Shared” after you opened it.')", "the parts that have changed")
    check_page(browser)
    if ask(browser, "GET", "")["name"] != "Second":
        raise Failure("the form has overwritten a change that the user has not seen")
    browser.click("button", "Discard my changes")
    browser.wait(f"document.querySelector('h1').innerText == 'Second' && {STATUS} == 'Draft'")
    browser.wait("document.querySelector('[aria-label=Report] .previews')?.innerText.includes('Second')")
    # The page does not send a version that it did not show when the user chose to send it.
    browser.click("button", "Send now…")
    browser.wait("document.querySelector('dialog[open] h2')?.innerText == 'Send “Second” now?'")
    rename(browser, "Third")
    browser.wait("document.querySelector('dialog button.danger:enabled')")
    browser.value("document.querySelector('dialog button.danger').click()")
    browser.wait("document.querySelector('section [role=alert]:not([hidden])')?.innerText.startsWith('Somebody changed the name and text of “Second” after you opened it. Nothing was sent.')", "the refusal")
    browser.wait("document.querySelector('h1').innerText == 'Third' && document.querySelector('[aria-label=Report] .previews')?.innerText.includes('Third')")
    browser.wait("document.querySelector('[aria-label=Progress] [aria-live=polite]:not([hidden])')?.innerText.includes('The campaign was changed at ')")
    if ask(browser, "GET", "")["state"] != "draft":
        raise Failure("a version that the user has not seen was sent")
    check_page(browser)
    # Unsaved changes are based on the version with which they began, even if the form is opened again.
    browser.click("link", "Edit")
    browser.wait("document.querySelector('[name=name]')?.value == 'Third'")
    browser.type("textbox", "Body, en", "Mine")
    browser.value("history.back()")
    browser.wait(f"document.querySelector('h1').innerText == 'Third' && {STATUS} == 'Draft'")
    browser.wait("document.querySelector('[aria-label=Progress]').innerText.includes('You have unsaved changes to this campaign')")
    rename(browser, "Fourth")
    browser.click("link", "Edit")
    browser.wait("document.querySelector('main').innerText.includes('The campaign itself has changed since you began.')")
    browser.click("button", "Save changes")
    browser.wait(f"{FORM_ERROR}?.startsWith('Somebody changed the name and text of “Fourth” after you opened it.')")
    browser.click("button", "Save my changes")
    browser.wait(f"document.querySelector('h1').innerText == 'Third' && {STATUS} == 'Draft'", "the user's version")
    browser.wait("document.querySelector('[aria-label=Report] .previews')?.innerText.includes('Mine')")
    ask(browser, "DELETE", "")


def follows_a_pause(browser):
    """Checks that the page of a campaign that waits follows it when another program resumes it after a pause."""
    browser.click("button", "Pause")
    browser.wait(f"{STATUS} == 'Paused'")
    ask(browser, "POST", "/resume")
    browser.wait(f"{STATUS} == 'Waiting'", "the campaign that another program has resumed")


def reads_files_again(browser, files, strings):
    """Checks that the form does not use a file that has changed since it was chosen, and reads the same files again."""
    wrong = "document.querySelector('details[open] .error:not([hidden])')?.innerText"
    with open(strings, encoding="utf-8") as file:
        text = file.read()
    with open(strings, "w", encoding="utf-8") as file:
        file.write(text.replace("Des fichiers", "Deux fichiers"))
    browser.click("button", "Dry run")
    browser.wait(f"{wrong}?.includes('fr.strings has changed since you chose it.')", "the file that has changed")
    # The browser reports a change only because the click on the field has forgotten the former files.
    node = browser.call("DOM.querySelector", nodeId=browser.call("DOM.getDocument")["root"]["nodeId"], selector="[name=files]")["nodeId"]
    browser.call("Page.setInterceptFileChooserDialog", enabled=True)
    browser.value("document.querySelector('[name=files]').click()")
    browser.call("DOM.setFileInputFiles", nodeId=node, files=files)
    browser.call("Page.setInterceptFileChooserDialog", enabled=False)
    browser.wait(f"{wrong} === undefined && document.querySelector('details[open]').innerText.includes('In use: ')", "the corrected files")
    browser.click("button", "Dry run")
    browser.wait("document.querySelector('.previews')?.innerText.includes('Deux fichiers')", "the text of the corrected file")


def follows_its_file(browser, folder):
    """Checks that the form has the values of its present file only, and that a campaign is not sent to another app."""
    names = ("name", "topic", "to", "subject", "date", "time", "rate", "quietFrom", "quietTo")
    values = f"JSON.stringify({list(names)}.map((name) => document.querySelector(`[name=${{name}}]`).value))"
    own = json.loads(browser.value(values))
    topic = own[1]
    node = browser.call("DOM.querySelector", nodeId=browser.call("DOM.getDocument")["root"]["nodeId"], selector="[name=files]")["nodeId"]

    def choose(name, content):
        file = folder / name
        file.write_text(json.dumps({"alert": {"en": {"title": "Soup", "body": "b"}}, **content}), encoding="utf-8")
        browser.call("DOM.setFileInputFiles", nodeId=node, files=[str(file)])

    def shows(expected, what):
        browser.wait(f"{values} === JSON.stringify({expected!r})", what)

    timed = {"topic": "com.example.other", "name": "Soup day", "to": "user:ann", "at": "2099-12-02T10:00", "rate": 5,
             "quietHours": {"from": "22:00", "to": "07:00"}}
    shown = ["Soup day", "com.example.other", "user", "ann", "2099-12-02", "10:00", "5", "22:00", "07:00"]
    choose("timed.json", timed)
    shows(shown, "the values of the file, although the form had an app")
    choose("plain.json", {"topic": topic})
    shows(own, "the form without the values of the former file")
    beside_app = "document.querySelector('[name=topic]').closest('.field').querySelector('.error:not([hidden])')?.innerText"
    browser.type("combobox", "App", "com.example.other")
    browser.wait(f"{beside_app}?.startsWith('The file is for {topic}, but App is com.example.other.')", "the app that contradicts the file")
    browser.type("combobox", "App", topic)
    browser.wait(f"{beside_app} === undefined")
    choose("timed.json", timed)
    shows(shown, "the values of the file")
    choose("wrong.json", {"topic": topic, "at": "tomorrow", "rate": "fast"})
    browser.wait("document.querySelector('details[open] .error:not([hidden])')?.innerText.includes(\"Invalid value 'tomorrow'\")",
                 "the invalid time, which the time of the former file must not hide")
    shows([*own[:6], "fast", *own[7:]], "the rate of the file")
    choose("plain.json", {"topic": topic})
    shows(own, "the form without the invalid rate")
    choose("timed.json", timed)
    shows(shown, "the values of the file")
    browser.click("button", "Remove file")
    shows(own, "the form without the removed file")


def waits_for_a_test(browser):
    """Checks that the overview does not call the service working before a connection has been tested, and that it warns
    of the failures of the campaign that was completed last."""
    browser.value("""window.get = window.fetch; window.fetch = async (path, options) => {
      const answer = await window.get(path, options);
      if (path !== '/status') return answer;
      const status = JSON.parse(await answer.text());
      status.service.connection = window.isConnected ? 'connected' : 'connecting';
      status.service.since = status.at;
      status.latest = { name: 'Sent late', failed: 1, unknown: 0 };
      return new Response(JSON.stringify(status));
    }; null""")
    browser.wait("document.querySelector('.verdict h2').innerText == 'Checking the connection…' && !document.querySelector('.verdict.good')")
    browser.value("window.isConnected = true; null")
    browser.wait("document.querySelector('.verdict.fair')?.innerText.includes('The latest completed campaign, “Sent late”, failed for 1 device.')")
    browser.value("window.fetch = window.get; null")
    browser.wait("document.querySelector('.verdict.good')")
