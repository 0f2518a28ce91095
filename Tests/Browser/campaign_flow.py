#!/usr/bin/env python3
"""Uses the provider console as a user does, in a headless browser: signs in, looks at the registrations, writes a
campaign, sees its errors, previews each language, sends it, pauses it, resumes it, and reads the report; schedules a
campaign, edits it, sends a test to a device, cancels and deletes the campaign; finds a device and removes it.
campaign_flow.py CHROMIUM URL TOKEN-FILE TOPIC DEVICES CAMPAIGN-FILE STRINGS-FILE [PICTURES-FOLDER]"""
import pathlib
import sys

from browser import Failure
from campaign_changes import follows_a_pause, follows_its_file, keeps_changes_of_others, reads_files_again, waits_for_a_test
from campaign_list import keeps_list, to_a_list
from checks import check_page
from visit import look_around, sign_in, sign_out, visit


def fill(browser, control, text):
    browser.type("textbox", control, text)


def write(browser, topic):
    """Fills in the form, which shows each error next to its field while the user types."""
    browser.click("link", "New campaign")
    browser.wait(f"document.querySelector('[name=topic]').value == {topic!r}", "the only app is already selected")
    wrong = "[...document.querySelectorAll('.error:not([hidden])')].map(one => one.innerText).join(' ')"
    # A half of the quiet hours reports neither the other half nor the texts, which the user has not reached yet, until
    # the dry run.
    clock = "(name, value) => { const field = document.querySelector(`[name=${name}]`); field.value = value; " \
        "field.dispatchEvent(new Event('input', { bubbles: true })); }"
    browser.value(f"window.checked = 0; window.fetch = ((get) => (...all) => get(...all).finally(() => {{ window.checked += 1; }}))(window.fetch); "
                  f"({clock})('quietFrom', '22:00')")
    browser.wait("window.checked > 0", "the check of the form")
    if browser.value(wrong):
        raise Failure(f"a field that is not filled in yet is marked as an error: {browser.value(wrong)}")
    beside_end = "document.querySelector('[name=quietTo]').closest('.field').querySelector('.error:not([hidden])')?.innerText"
    browser.click("button", "Dry run")
    browser.wait(f"{beside_end} == 'Enter an end time, or remove the start time.'")
    browser.value(f"({clock})('quietFrom', '')")
    browser.click("button", "Dry run")
    browser.wait(f"{beside_end} === undefined", "the result of the second dry run, which moves the focus")
    browser.wait("document.querySelector('[data-name=title]').closest('.field').querySelector('.error:not([hidden])')?.innerText == 'Nothing to show. Add a title, a subtitle or a body, or “Additional payload”.'")
    # The section with the field that the error names is open. The service reports invalid JSON with its line and column.
    beside_payload = "document.querySelector('[name=payload]').closest('.field').querySelector('.error:not([hidden])')?.innerText"
    browser.type("textbox", "Additional payload", '{"aps":{},\n"x":1,}')
    browser.wait(f"""{beside_payload} == "Invalid JSON at line 2, column 6: trailing comma before '}}'. Remove the comma.\"""")
    browser.type("textbox", "Additional payload", "")
    browser.wait(f"{beside_payload} === undefined")
    # The form checks text while the user types, even if no app is specified.
    browser.type("combobox", "App", "")
    fill(browser, "Body, en", "%d things")
    beside = "document.querySelector('[data-name=body]').closest('.field').querySelector('.error:not([hidden])')?.innerText"
    browser.wait(f"{beside}?.startsWith(\"No value for '%d': “Placeholder values” has 0 values.\")")
    if "bundle identifier such as" in browser.value(wrong):
        raise Failure("a field that is not filled in yet is marked as an error")
    browser.type("combobox", "App", topic)
    fill(browser, "Title, en", "News")
    fill(browser, "Body, en", "%@ has %d matches")
    browser.wait(f"{wrong}.includes(\"No value for '%@': \")")
    fill(browser, "Placeholder values, one per line", "Ann\n3")
    browser.click("button", "Add a language")
    fill(browser, "Language 2", "fr")
    fill(browser, "Title, fr", "Nouvelles")
    fill(browser, "Body, fr", "%d matchs pour %@")
    browser.wait(f"{wrong}.includes(\"Invalid value 'Ann' for '%d' (argument 1)\")")
    check_page(browser)
    # The form's own checks do not hide the problems that the service finds.
    for control, text in (("Image URL", "burger.png"), ("Rate limit (per second)", "x")):
        fill(browser, control, text)
    browser.wait(f"['Not a URL.', \"Invalid value 'x'\", \"Invalid value 'Ann'\"].every((text) => {wrong}.includes(text))", "all problems")
    browser.click("button", "Dry run")
    browser.wait(f"document.activeElement === document.querySelector('main [aria-invalid]') && {wrong}.includes('Not a URL.') && {wrong}.includes(\"Invalid value 'x'\")", "all problems")
    for control in ("Image URL", "Rate limit (per second)"):
        fill(browser, control, "")
    fill(browser, "Body, fr", "%2$d matchs pour %1$@")
    browser.wait(f"{wrong} == ''", "no errors remain")
    remove_language(browser)
    # Send nothing to devices whose language the campaign lacks.
    browser.value("""(() => { const fallback = document.querySelector('[name=fallback]'); fallback.value = 'none';
      fallback.dispatchEvent(new Event('input', { bubbles: true })); })()""")
    browser.wait(f"{wrong}.includes('No ja text for 2 devices, and no fallback language')")
    browser.click("button", "Dry run")
    browser.wait("document.querySelector('.check.bad')?.innerText.startsWith('Would be refused')")
    browser.wait("document.querySelector('.notes.wrong')?.innerText.includes('set “Other languages”')", "the label of the field")
    browser.value("""(() => { const fallback = document.querySelector('[name=fallback]'); fallback.value = 'en';
      fallback.dispatchEvent(new Event('input', { bubbles: true })); })()""")
    browser.wait(f"{wrong} == ''", "no errors remain")


def remove_language(browser):
    """Checks that a language with texts is removed only after a confirmation, and an empty one immediately."""
    rows = "document.querySelectorAll('.languages fieldset').length"
    browser.click("button", "Add a language")
    browser.click("button", "Remove Language 3")
    browser.wait(f"{rows} == 2 && !document.querySelector('dialog')", "the removed empty language")
    browser.click("button", "Add a language")
    fill(browser, "Language 3", "de")
    fill(browser, "Title, de", "Neues")
    browser.click("button", "Remove de")
    browser.wait("document.querySelector('dialog[open] h2')?.innerText == 'Remove de?'")
    browser.key("Enter")
    browser.wait(f"!document.querySelector('dialog') && {rows} == 3", "the language that the user keeps")
    browser.click("button", "Remove de")
    confirm(browser, "Remove language")
    browser.wait(f"{rows} == 2", "the removed language")


def preview(browser, devices):
    browser.click("button", "Dry run")
    browser.wait(f"document.querySelector('.check.good')?.innerText.startsWith('Would be sent to {devices} devices.')")
    browser.wait("document.activeElement.innerText == 'Dry run'", "the focus back on the button")
    shown = browser.value("[...document.querySelectorAll('.previews li')].map(one => one.innerText).join('\\n')")
    live = browser.value("[...document.querySelectorAll('.screens .banner')].map(one => one.innerText).join('\\n')")
    for part in ("Ann has 3 matches", "3 matchs pour Ann"):
        if live.count(part) != 2:
            raise Failure(f"the live preview lacks '{part}' on a banner or the lock screen:\n{live}")
    for part in ("Nouvelles", "3 matchs pour Ann", "Ann has 3 matches", "French (fr):", "Japanese (ja): 2 devices, shown in English (fallback)"):
        if part not in shown:
            raise Failure(f"the preview lacks '{part}':\n{shown}")


def finished(browser, devices):
    browser.wait("document.querySelector('[role=status]')?.innerText == 'Completed'", "the completed campaign")
    browser.wait("document.querySelector('[aria-label=Report] h2')?.innerText == 'Report'", "the report")
    if browser.value("document.querySelector('progress').value / document.querySelector('progress').max") != 1:
        raise Failure("the bar is not full")
    browser.wait(f"document.querySelector('.figures').innerText.startsWith('{devices} of {devices} devices')")
    facts = browser.value("document.querySelector('[aria-label=Report] dl').innerText").replace("\n", " ")
    if f"Accepted {devices}" not in facts:
        raise Failure(f"the report contains {facts}")
    # A language is named in the same way in each table.
    for name in ("By language", "By outcome"):
        if "English (en)" not in browser.value(f"document.querySelector('[role=region][aria-label=\"{name}\"]').innerText"):
            raise Failure(f"the table '{name}' does not name the language")
    browser.wait("['Ann has 3 matches', '3 matchs pour Ann'].every((text) => document.querySelector('[aria-label=\"Text of the campaign\"]')?.innerText.includes(text))",
                 "the text that was sent")


def hold_and_go_on(browser, devices, picture):
    """Sends a slow copy of a campaign, checks that its progress bar moves and shows a rate, and pauses and resumes
    it."""
    browser.click("link", "New campaign")
    browser.wait("document.querySelector('h1').innerText == 'New campaign' && document.querySelector('[name=topic]').value")
    if browser.value("document.querySelector('[data-name=body]').value"):
        raise Failure("the form for a new campaign shows the text of the campaign that was sent")
    browser.click("link", "Campaigns")
    browser.wait("document.querySelector('tbody a')")
    browser.value("document.querySelector('tbody a').click()")
    browser.click("button", "Copy")
    browser.wait("document.querySelector('[name=name]')?.value == 'Copy of News'")
    fill(browser, "Name", "News")
    fill(browser, "Rate limit (per second)", "1")
    # An unfinished edit is restored after the user leaves the page.
    browser.click("link", "Overview")
    browser.wait("document.querySelector('.verdict')")
    browser.value("history.back()")
    browser.wait("document.querySelector('[name=rate]')?.value == '1'", "the unsaved changes")
    browser.element("button", "Discard changes")
    browser.click("button", "Dry run")
    browser.click("button", f"Save and send to {devices} devices…")
    confirm(browser, "Send")
    browser.wait("document.querySelector('.figures')?.innerText.includes('per second · about') && "
                 "document.querySelector('[aria-label=Report]')?.innerText.match(/Progress so far\\s+As of /)", "the rate, the estimate and the report so far")
    picture("provider-progress")
    browser.click("button", "Pause")
    browser.wait("document.querySelector('[role=status]')?.innerText == 'Paused'")
    browser.element("button", "Resume")
    browser.wait("document.activeElement === document.querySelector('h1')", "the focus after the action, whose button is gone")
    check_page(browser)
    browser.click("link", "Overview")
    browser.wait("document.querySelector('.verdict.good')?.innerText.includes('1 campaign paused: “News”')", "a pause does not count as a problem")
    browser.click("link", "Campaigns")
    browser.wait("document.querySelector('h1').innerText == 'Campaigns' && document.querySelector('tbody .badge')?.innerText == 'paused'", "the newest campaign is first")
    # Without a problem, the list has no column for problems, so that the apps fit in one line.
    if browser.value("[...document.querySelectorAll('th')].some(one => one.innerText == 'Problem') || "
                     "[...document.querySelectorAll('td .app')].some(one => one.getClientRects().length > 1)"):
        raise Failure("an empty column of the list breaks the names of the apps")
    browser.value("document.querySelector('tbody a').click()")
    browser.click("button", "Resume")
    finished(browser, devices)


# Starts a check of the form, and holds its response until `release` is called or the page aborts the request.
HELD_CHECK = """
{ const get = window.fetch;
window.fetch = (path, options = {}) => {
  const answer = get(path, options);
  if (path !== '/campaigns' || options.method !== 'POST') return answer;
  window.fetch = get;
  answer.catch(() => {});
  return new Promise((resolve, reject) => {
    window.release = () => resolve(answer);
    options.signal?.addEventListener('abort', () => reject(options.signal.reason));
  });
}; }
document.querySelector('[name=to]').dispatchEvent(new Event('input', { bubbles: true }));"""


def from_files(browser, files, devices):
    browser.click("link", "New campaign")
    browser.wait("document.querySelector('[name=rate]')")
    browser.value("document.querySelector('[name=rate]').value = ''")
    browser.click("DisclosureTriangle", "Use a file instead")
    node = browser.call("DOM.querySelector", nodeId=browser.call("DOM.getDocument")["root"]["nodeId"], selector="[name=files]")["nodeId"]
    wrong = "document.querySelector('details[open] .error:not([hidden])')?.innerText"
    # The response to an earlier check must not remove the error of the files.
    browser.value(HELD_CHECK)
    browser.wait("window.release", "a check that waits for its response")
    browser.call("DOM.setFileInputFiles", nodeId=node, files=files[1:])
    browser.wait(f"{wrong}?.includes('No campaign selected.')", "the campaign is missing")
    browser.value("window.release(); fetch('/status').then((answer) => answer.text())")
    if not browser.value(f"{wrong}?.includes('No campaign selected.')"):
        raise Failure("the response to an earlier check has removed the error of the files")
    browser.click("button", "Dry run")
    # The dry run moves the focus to the first field that has an error.
    browser.wait(f"document.activeElement.name == 'files' && {wrong}?.includes('No campaign selected.')",
                 "the campaign is still missing")
    browser.call("DOM.setFileInputFiles", nodeId=node, files=files[:1])
    browser.wait("document.querySelector('[name=to]').value == 'tag' && document.querySelector('[name=rate]').value == '50'",
                 "the recipients and the rate of the file")
    browser.wait(f"{wrong}?.includes('was not sent with the campaign')", "the strings file is missing")
    own_text = "document.querySelector('[data-name=body]').checkVisibility()"
    if not browser.value(own_text):
        raise Failure("a file that is refused has hidden the form's own texts")
    check_page(browser)
    browser.call("DOM.setFileInputFiles", nodeId=node, files=files)
    browser.wait(f"{wrong} === undefined && !{own_text}", "both files are present and replace the form's own texts")
    browser.click("button", "Dry run")
    browser.wait(f"document.querySelector('.check.good')?.innerText.startsWith('Would be sent to {devices} devices.')")
    browser.wait("document.querySelector('.previews').innerText.includes('Des fichiers')")
    reads_files_again(browser, files, files[1])
    browser.value("""(() => { for (const [name, value] of [['to', 'tag'], ['subject', ''], ['rate', '']]) {
        const field = document.querySelector(`[name=${name}]`);
        field.value = value;
        field.dispatchEvent(new Event('input', { bubbles: true }));
      } })()""")
    browser.click("button", "Dry run")
    browser.wait("[...document.querySelectorAll('.error:not([hidden])')].some(one => one.innerText == 'Enter a tag.')", "the missing tag")
    browser.value("""(() => { const to = document.querySelector('[name=to]'); to.value = 'all';
      to.dispatchEvent(new Event('input', { bubbles: true })); })()""")
    browser.click("button", "Remove file")
    browser.wait(f"{own_text} && document.querySelector('[name=files]').files.length == 0", "the form's own texts without the file")
    follows_its_file(browser, pathlib.Path(files[0]).parent)


STATUS = "document.querySelector('section [role=status]')?.innerText"


def cancel_first(browser, opener, title, keep="Cancel"):
    """Opens a dialog and checks that it identifies its object, that the button that changes nothing has the focus, and
    that Enter presses this button."""
    browser.click("button", opener)
    browser.wait(f"document.querySelector('dialog[open] h2')?.innerText == {title!r}")
    browser.wait(f"document.activeElement.innerText == {keep!r}", f"the focus on {keep}")
    check_page(browser, keyboard=False)
    browser.key("Enter")
    browser.wait("!document.querySelector('dialog')", "the closed dialog")
    browser.wait(f"document.activeElement.innerText == {opener!r}", "the focus back on the button")
    browser.click("button", opener)


def confirm(browser, action):
    """Confirms the action of the open dialog, whose button is disabled at first."""
    browser.wait(f"[...document.querySelectorAll('dialog button:enabled')].some(one => one.innerText == {action!r})")
    browser.value(f"[...document.querySelectorAll('dialog button')].find(one => one.innerText == {action!r}).click()")


def schedule(browser, devices, looks):
    """Checks that a campaign for tomorrow shows its time and can be edited, tested, cancelled, and deleted."""
    # Leaving the screen discards the chosen file.
    browser.click("link", "Overview")
    browser.click("link", "New campaign")
    browser.wait("document.querySelector('[name=date]')")
    browser.value("""(() => { const now = new Date(); const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1);
      const two = (number) => String(number).padStart(2, '0');
      const date = `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
      for (const [name, value] of [['date', date], ['time', '09:00'], ['quietFrom', '22:00'], ['quietTo', '08:00']]) {
        const field = document.querySelector(`[name=${name}]`);
        field.value = value;
        field.dispatchEvent(new Event('input', { bubbles: true }));
      } })()""")
    browser.type("textbox", "Image URL", "https://example.com/picture.png")
    browser.click("button", "Dry run")
    browser.click("button", f"Schedule for {devices} devices")
    browser.wait(f"""{STATUS} == "Scheduled for tomorrow at 09:00, each recipient's time zone\"""")
    browser.wait("document.querySelector('[aria-label=Report] .previews')?.innerText.includes('Image attached')", "the image")
    browser.wait("document.querySelector('[aria-label=Report] > .hint')?.innerText == 'Image: https://example.com/picture.png'", "the address of the image")
    check_page(browser)
    browser.click("link", "Edit")
    browser.wait("document.querySelector('[name=image]')?.value == 'https://example.com/picture.png'", "the stored image")
    looks("provider-edit")
    browser.type("textbox", "Name", "Breakfast")
    browser.click("button", "Save changes")
    browser.wait(f"document.querySelector('h1').innerText == 'Breakfast' && {STATUS}.startsWith('Scheduled for tomorrow')")
    looks("provider-scheduled")
    browser.click("button", "Send a test…")
    browser.wait("document.querySelector('dialog select option')", "the registered devices")
    check_page(browser, keyboard=False)
    # No device is preselected, because the first one might be a customer's.
    if browser.value("document.querySelector('dialog select').value || document.querySelector('dialog [type=submit]:enabled')"):
        raise Failure("a device is preselected")
    # A test must not be sent to the previously selected device before the list matches the name.
    browser.type("textbox", "Find by user", "nobody")
    browser.value("document.querySelector('dialog form').requestSubmit(document.querySelector('dialog [type=submit]'))")
    browser.wait("document.querySelector('dialog').innerText.includes('No registered device matches.')")
    if browser.value("document.querySelector('dialog [role=status]').innerText || document.querySelector('dialog [type=submit]:enabled')"):
        raise Failure("a test was sent to a device that does not match")
    browser.value("""(() => { const field = document.querySelector('dialog input'); field.value = '';
      field.dispatchEvent(new Event('input', { bubbles: true })); })()""")
    browser.wait("document.querySelectorAll('dialog select option').length > 2", "the registered devices again")
    browser.value("""(() => { const device = document.querySelector('dialog select'); device.selectedIndex = 1;
      device.dispatchEvent(new Event('change', { bubbles: true })); })()""")
    browser.click("button", "Send test")
    browser.wait("document.querySelector('dialog [role=status]')?.innerText.startsWith('Accepted by the push service for ')")
    # The result is about another device than the one that the user searches for.
    browser.type("textbox", "Find by user", "nobody")
    browser.wait("document.querySelector('dialog').innerText.includes('No registered device matches.')")
    if browser.value("document.querySelector('dialog [role=status]').innerText || document.querySelector('dialog [type=submit]:enabled')"):
        raise Failure("the result of an earlier test remains")
    browser.click("button", "Close")
    cancel_first(browser, "Cancel campaign…", "Cancel “Breakfast”?", "Keep campaign")
    looks("provider-dialog")
    browser.click("button", "Cancel campaign")
    browser.wait(f"{STATUS} == 'Cancelled'")
    time = browser.value("[...document.querySelectorAll('.facts dt')].find(one => one.innerText == 'Time').nextElementSibling.innerText")
    if time != "was scheduled for tomorrow at 09:00, each recipient's time zone":
        raise Failure(f"the page of a cancelled campaign says '{time}'")
    check_page(browser)
    cancel_first(browser, "Delete…", "Delete “Breakfast”?")
    browser.click("button", "Delete campaign")
    browser.wait("location.hash == '#/campaigns' && document.querySelector('tbody') && !document.body.innerText.includes('Breakfast')")


def drafts(browser):
    """Checks that a draft is stored without being sent, and that its copy opens for editing."""
    browser.click("link", "New campaign")
    browser.wait("document.querySelector('[name=topic]')?.value")
    fill(browser, "Body, en", "Later")
    browser.type("textbox", "Name", "Later")
    browser.click("button", "Save draft")
    browser.wait(f"{STATUS} == 'Draft'")
    browser.click("button", "Copy")
    browser.wait("document.querySelector('[name=name]')?.value == 'Copy of Later'")
    check_page(browser)
    # The copy has no send time, so it would be sent immediately.
    browser.click("button", "Save changes")
    browser.wait(f"document.querySelector('h1').innerText == 'Copy of Later' && {STATUS} == 'Draft'")
    cancel_first(browser, "Send now…", "Send “Copy of Later” now?")
    browser.wait("document.querySelector('dialog[open]')")
    browser.key("Escape")
    browser.wait(f"!document.querySelector('dialog') && {STATUS} == 'Draft'", "the draft, not sent")
    # A time that has passed is refused beside its fields.
    browser.click("link", "Edit")
    browser.wait("document.querySelector('[name=name]')?.value == 'Copy of Later'")
    browser.value("""(() => { for (const [name, value] of [['date', '2020-01-01'], ['time', '09:00']]) {
        const field = document.querySelector(`[name=${name}]`);
        field.value = value;
        field.dispatchEvent(new Event('input', { bubbles: true }));
      } })()""")
    browser.click("button", "Save changes")
    browser.wait("document.querySelector('[name=date]').closest('fieldset').querySelector('.error:not([hidden])')?.innerText.includes('The time has passed for every device. Enter a later time')")
    check_page(browser)
    browser.value("history.back()")
    browser.wait(f"document.querySelector('h1').innerText == 'Copy of Later' && {STATUS} == 'Draft'", "the draft, still not sent")


def quiet_hours(browser, devices):
    """Checks that a campaign says which devices wait for quiet hours, before and after its start."""
    browser.click("link", "Edit")
    browser.wait("document.querySelector('[name=name]')?.value == 'Copy of Later'")
    # The devices have no time zone, so UTC applies to them.
    browser.value("""(() => { const utc = (hours) => new Date(Date.now() + hours * 3600000).toISOString().slice(11, 16);
      for (const [name, value] of [['date', ''], ['time', ''], ['quietFrom', utc(-1)], ['quietTo', utc(2)]]) {
        const field = document.querySelector(`[name=${name}]`);
        field.value = value;
        field.dispatchEvent(new Event('input', { bubbles: true }));
      } })()""")
    browser.click("button", "Save changes")
    browser.wait(f"document.querySelector('h1').innerText == 'Copy of Later' && {STATUS} == 'Draft'")
    browser.click("button", "Send now…")
    browser.wait("document.querySelector('dialog[open]')?.innerText.includes('No device gets the campaign now.')")
    browser.wait(f"document.querySelector('dialog[open]').innerText.includes('{devices} devices get it later because of quiet hours, the first at ')")
    confirm(browser, "Send")
    browser.wait("document.querySelector('.figures')?.innerText.includes('Waiting for quiet hours to end at ')")
    browser.wait(f"{STATUS} == 'Waiting'", "the state, as in the list")
    check_page(browser)
    follows_a_pause(browser)
    browser.click("link", "Campaigns")
    browser.wait("document.querySelector('tbody tr')?.innerText.includes('Quiet hours until ')", "the end of the wait")
    browser.wait("[...document.querySelectorAll('tbody tr')].some((row) => /completed\\s+Completed \\d/.test(row.innerText))", "the end of a campaign")
    browser.value("history.back()")
    browser.wait(f"{STATUS} == 'Waiting'")
    browser.click("button", "Cancel campaign…")
    confirm(browser, "Cancel campaign")
    browser.wait(f"{STATUS} == 'Cancelled'")


def find_device(browser, looks):
    """Finds a device by its language, checks the pushes that it was sent, and removes it."""
    browser.click("link", "Devices")
    browser.wait("document.querySelector('h1').innerText == 'Devices'")
    browser.key("/")
    browser.wait("document.activeElement === document.querySelector('main input[type=search]')", "the focus on the search field")
    # The list shows the beginning of each token, with an ellipsis.
    rows = "document.querySelectorAll('[aria-label=\"Found devices\"] tbody tr').length"
    browser.wait(f"{rows} > 1", "the registered devices")
    beginning = browser.value("document.querySelector('[aria-label=\"Found devices\"] tbody code').innerText")
    browser.type("textbox", "Device token", beginning)
    browser.click("button", "Find devices")
    browser.wait(f"{rows} == 1", "the device whose token begins with these digits")
    browser.type("textbox", "Device token", "4e75b")
    browser.click("button", "Find devices")
    browser.wait("[...document.querySelectorAll('.error:not([hidden])')].some(one => one.innerText == 'Enter the whole token, or at least its first 8 digits.')",
                 "the number of digits that the search needs")
    browser.type("textbox", "Device token", "")
    browser.type("textbox", "Language", "ja")
    browser.click("button", "Find devices")
    browser.wait("document.querySelectorAll('[aria-label=\"Found devices\"] tbody tr').length == 2")
    browser.value("document.querySelector('[aria-label=\"Found devices\"] tbody button').click()")
    browser.wait("[...document.querySelectorAll('[aria-label=Device] tbody a')].some(one => one.innerText == 'News')", "the device's campaigns")
    browser.wait("document.querySelector('main').innerText.includes('Tests are not listed.')", "the limit of the list")
    check_page(browser)
    looks("provider-device")
    title = browser.value("`Remove the device with the token ${document.querySelector('[aria-label=Device] dd').innerText.slice(0, 8)}…?`")
    cancel_first(browser, "Remove…", title)
    browser.wait("document.querySelector('dialog[open]').innerText.includes('all · ja · token ')", "the tags and the language of the device")
    browser.click("button", "Remove device")
    browser.wait("document.querySelector('[aria-label=Device]').innerText == 'Device removed.'")
    browser.wait("document.activeElement.innerText == 'Device removed.'", "the focus on the result")
    browser.wait("document.querySelectorAll('[aria-label=\"Found devices\"] tbody tr').length == 1")


def keeps_focus(browser):
    """Checks that the keyboard focus stays in place when the page redraws changed parts."""
    browser.value("window.former = document.querySelector('section[aria-label=\"Recent campaigns\"] a'); former.focus()")
    browser.wait("!window.former.isConnected", "the redrawn overview")
    browser.wait("document.activeElement.getAttribute('href') === window.former.getAttribute('href')",
                 "the focus on the link that replaced it")


def keeps_names_whole(browser):
    """Checks that the overview breaks a long list of languages rather than an app's identifier."""
    lines = browser.value("""(() => { const cells = document.querySelectorAll('[role=region][aria-label=Apps] tbody td');
      cells[2].textContent = 'en 3, '.repeat(200);
      return cells[0].querySelector('code').getClientRects().length; })()""")
    if lines != 1:
        raise Failure(f"an app's identifier takes {lines} lines")


def marks_stale(browser):
    """Checks that the overview marks its numbers as outdated while the service can't be reached."""
    browser.value("window.get = window.fetch; window.fetch = () => Promise.reject(new TypeError('no connection')); null")
    browser.wait("document.querySelector('.stale .tile') && document.querySelector('.verdict').innerText.includes('The numbers and states below are from')")
    browser.value("window.fetch = window.get; null")
    browser.wait("!document.querySelector('.stale') && !document.querySelector('.verdict').innerText.includes('Connection lost')")


def reads_a_document(browser, url):
    """Opens a document, follows a link to another one, and returns to the console."""
    browser.open(url + "console/docs.html#rejections.md")
    browser.wait("document.querySelectorAll('main table tbody tr').length > 10", "the table of rejections")
    text = browser.value("document.querySelector('main').innerText")
    assert "<!--" not in text and "](" not in text and "| ---" not in text, text[:400]
    check_page(browser)
    browser.click("link", "The first campaign")
    browser.wait("document.title.startsWith('The first campaign')", "the page about the first campaign")
    browser.value("[...document.querySelectorAll('main a')].find((link) => link.hash.startsWith('#provider.md')).click()")
    browser.wait("document.title.startsWith('The provider')", "the linked page")
    browser.open(url)


def main(chromium, url, token_file, topic, devices, campaign, strings, pictures=None):
    def flow(browser):
        def picture(name, whole=False):
            if pictures:
                browser.picture(f"{pictures}/{name}.png", whole)

        sign_in(browser, url, pathlib.Path(token_file).read_text().strip())
        browser.wait("document.querySelector('.verdict').innerText.match(/Connected to|The connection to/)", "the connection")
        check_page(browser)
        keeps_focus(browser)
        keeps_names_whole(browser)
        marks_stale(browser)
        waits_for_a_test(browser)
        picture("provider-overview")
        write(browser, topic)
        preview(browser, devices)
        check_page(browser)
        picture("provider-compose", whole=True)
        cancel_first(browser, f"Send to {devices} devices…", "Send “News” now?")
        confirm(browser, "Send")
        finished(browser, devices)
        check_page(browser)
        hold_and_go_on(browser, devices, picture)
        picture("provider-report")
        reads_a_document(browser, url)
        to_a_list(browser)
        from_files(browser, [campaign, strings], devices)

        def looks(name):
            """Takes pictures of one screen at both widths, light and dark."""
            for width in (1280, 390) if pictures else ():
                for dark in (False, True):
                    browser.resize(width)
                    browser.scheme(dark)
                    picture(f"{name}-{width}{'-dark' if dark else ''}", whole="dialog" not in name)
            browser.resize(1280)
            browser.scheme(False)

        schedule(browser, devices, looks)
        drafts(browser)
        quiet_hours(browser, devices)
        keeps_changes_of_others(browser)
        keeps_list(browser)
        find_device(browser, looks)
        look_around(
            browser, ("Campaigns", "New campaign", "Devices", "Overview"),
            lambda screen, look: picture(f"provider-{screen.lower().replace(' ', '-')}-{look}"))
        sign_out(browser)

    visit(chromium, flow)


if __name__ == "__main__":
    main(*sys.argv[1:])
