#!/usr/bin/env python3
"""Uses the console as an operator does: opens it with a link, double-clicks buttons that delete something, stops the
gateway, filters and exports the log, sends a burst to it, sends to a chosen device, and reads the metrics.
operator_flow.py CHROMIUM LINK PID"""
import json
import os
import signal
import sys

from browser import Failure
from checks import check_page
from visit import visit

GOOD = "document.querySelector('.verdict.good h2')?.innerText == 'Everything is working'"
FOCUS = "document.activeElement.innerText"


def open_link(browser, link):
    """Checks that a link opens the console only once; on later uses, the sign-in page explains what to do."""
    url, secret = link.split("#link=")
    browser.open(link)
    browser.wait(GOOD)
    if secret in browser.value("location.href + document.cookie"):
        raise Failure("the link's secret stays in the page")
    browser.click("button", "Sign out")
    # A link that is opened in the tab of the sign-in page changes only the part of the address after #.
    browser.wait("document.querySelector('input[type=password]')")
    browser.open(link)
    browser.wait("document.querySelector('.error')?.innerText.startsWith('This link has expired or was already used.')")
    browser.wait("document.querySelector('pre')?.innerText.startsWith('belfry console --data ')")
    check_page(browser)
    file = browser.value("[...document.querySelectorAll('.hint code')].map(one => one.innerText).join()")
    token = open(file).read().strip()
    browser.type("textbox", "Admin token", token)
    browser.key("Enter")
    browser.wait(GOOD)
    another = browser.value("""fetch('/api/console-link', { method: 'POST', headers: { 'x-belfry-console': '1' } })
      .then((answer) => answer.json()).then((made) => made.link)""")
    browser.click("button", "Sign out")
    browser.wait("document.querySelector('input[type=password]')")
    browser.open(f"{url}#link={another}")
    browser.wait(GOOD)
    # An open session needs no secret.
    browser.open(f"{url}#link={another}")
    browser.wait(f"{GOOD} && location.hash == ''")
    return token


def see_empty(browser):
    """Checks that an empty screen suggests the next step."""
    browser.click("link", "Log")
    browser.wait("document.querySelector('.rows').innerText.includes('No notifications yet.')")
    browser.element("link", "Send a test push")
    browser.wait("document.querySelector('.rows pre').innerText.startsWith('belfry device run --app com.example.app --gateway /')")
    check_page(browser)
    browser.value("document.querySelector('[name=state]').value = 'Refused'; document.querySelector('[name=state]').form.requestSubmit()")
    browser.wait("document.querySelector('.rows').innerText.includes('No notifications match the filters.')")
    browser.value("document.querySelector('.rows .empty button').click()")
    browser.wait("document.querySelector('.rows').innerText.includes('No notifications yet.') && !location.hash.includes('Refused')")
    browser.click("link", "Metrics")
    browser.wait("document.querySelector('main').innerText.includes('No pushes in this period.')")
    check_page(browser)
    # The gateway has devices, so replace its answer with an empty one.
    browser.value("{ const get = window.fetch; window.fetch = (path, ...rest) => String(path).startsWith('/api/devices') ? Promise.resolve(new Response('')) : get(path, ...rest); }")
    browser.click("link", "Devices")
    browser.wait("document.querySelector('section[aria-label=Devices]').innerText.includes('No devices enrolled.')")
    browser.element("link", "virtual phone")
    browser.wait("document.querySelector('section[aria-label=Devices] pre').innerText.startsWith('belfry device run --app com.example.app --gateway /')")
    check_page(browser)
    browser.reload()
    browser.wait("document.querySelector('section[aria-label=Devices] td')")
    browser.wait("!/\\d\\s[AP]M/.test(document.querySelector('main').innerText)", "times on a 24-hour clock")
    # If the list and the code have the same problem, it is shown once.
    browser.value("""{ const get = window.fetch; window.fetch = (path, ...rest) => /^.api.(devices|enrolment-code)/.test(path)
      ? Promise.resolve(new Response('{"error":"cannot use the store (failed: no such file)","advice":"check it"}', { status: 500 })) : get(path, ...rest); }""")
    browser.click("link", "Overview")
    browser.wait("document.querySelector('.verdict')")
    browser.click("link", "Devices")
    browser.wait("document.querySelector('main').innerText.split('Cannot use the store (failed: no such file). Check it.').length == 2",
                 "the problem, once")
    browser.reload()
    browser.wait("document.querySelector('section[aria-label=Devices] td')")


# Makes the gateway a node of a cluster, in which another node has delivered each push later.
CLUSTER = """{
  const get = window.fetch;
  window.fetch = async (path, ...rest) => {
    const answer = await get(path, ...rest);
    if (path === '/api/status') return new Response(JSON.stringify({ ...await answer.json(), node: 'one', stoppedNodes: ['three'] }));
    if (!path.startsWith('/api/log?of=')) return answer;
    const text = await answer.text();
    const last = JSON.parse(text.trim().split('\\n').at(-1));
    const at = new Date(Date.parse(last.at) + 23000).toISOString();
    return new Response(`${text}${JSON.stringify({ ...last, at, state: 'Delivered (From Storage)' })}\\n`);
  };
}"""


def see_cluster(browser):
    """Checks that the pages of a cluster's node say what they don't show, and that a row shows the newest known state."""
    browser.click("link", "Overview")
    browser.wait(GOOD)
    browser.value(CLUSTER)
    browser.wait("document.querySelector('.verdict.fair')?.innerText.includes('The node three of the cluster is not running.')")
    browser.wait("document.querySelector('.verdict').innerText.includes('those of the node one,')")
    check_page(browser)
    browser.click("link", "Log")
    browser.wait("document.querySelector('main').innerText.includes('This is the log of the node one.')")
    browser.wait("document.querySelector('.virtual tbody button')", "a row")
    browser.value("document.querySelector('.virtual tbody button').click()")
    browser.wait("document.querySelector('.virtual tbody .open .badge').innerText == 'Delivered (From Storage)'", "the newer state")
    check_page(browser)
    browser.reload()


# Replaces the page's stream; the first request is refused.
REFUSED = """
const Source = window.EventSource;
window.sources = 0;
window.EventSource = class extends Source {
  constructor(path) { super(window.sources === 0 ? '/api/none' : path); window.sources += 1; }
};"""


def lose(browser, token):
    """Checks that the page recovers from a refused stream, shows a refused filter, and requests the token after its
    session has ended."""
    script = browser.call("Page.addScriptToEvaluateOnNewDocument", source=REFUSED)["identifier"]
    browser.click("link", "Log")
    browser.wait("document.querySelector('.logbar')", "the log, which the reload must show again")
    browser.reload()
    browser.wait("window.sources == 2 && document.querySelector('.logbar').innerText.startsWith('Live')", "a second request for the stream")
    browser.call("Page.removeScriptToEvaluateOnNewDocument", identifier=script)
    browser.reload()
    browser.wait("document.querySelector('.logbar')?.innerText.startsWith('Live')")
    browser.value("document.querySelector('.skip').click()")
    if not browser.value("location.hash.startsWith('#/log') && document.activeElement.id == 'main'"):
        raise Failure("the skip link leaves the log")
    browser.value("location.hash = '#/log?type=nonsense'")
    browser.wait("document.querySelector('.logbar').innerText.startsWith(\"Not live. Invalid value 'nonsense' for 'type'\")")
    browser.click("button", "Help and keyboard shortcuts")
    browser.element("dialog", "Help")
    browser.value("fetch('/console/session', { method: 'DELETE', headers: { 'x-belfry-console': '1' } }).then(() => { location.hash = '#/devices'; })")
    browser.wait("document.querySelector('main').innerText.includes('Your session has ended.') && !document.querySelector('dialog')")
    if browser.value("document.activeElement.type") != "password":
        raise Failure("the focus is not in the token's field")
    browser.type("textbox", "Admin token", token)
    browser.key("Enter")
    browser.wait("document.querySelector('h1').innerText == 'Devices' && document.activeElement.id == 'main'", "the screen, with the focus")


def double_click(browser, role, name):
    """Clicks twice at the same place, as fast as possible."""
    node = browser.element(role, name)
    browser.call("DOM.scrollIntoViewIfNeeded", backendNodeId=node)
    box = browser.call("DOM.getBoxModel", backendNodeId=node)["model"]["content"]
    for count in (1, 2):
        for kind in ("mousePressed", "mouseReleased"):
            browser.call("Input.dispatchMouseEvent", type=kind, x=sum(box[0::2]) / 4, y=sum(box[1::2]) / 4, button="left",
                         clickCount=count)


def keep(browser, role, name, title):
    """Checks that a double-click only opens a dialog with this title, with the focus on Cancel."""
    double_click(browser, role, name)
    browser.element("alertdialog", title)
    browser.key("Escape")
    browser.wait("!document.querySelector('dialog')")
    # The second click of a double-click might also hit the confirming button.
    is_open = browser.value(f"""(() => {{
      [...document.querySelectorAll('button')].find((one) => (one.ariaLabel ?? one.innerText) == {json.dumps(name)}).click();
      document.querySelector('dialog .danger').click();
      return document.querySelector('dialog').open;
    }})()""")
    if not is_open:
        raise Failure("the second click confirmed the dialog")
    # The confirming button is enabled once a double-click is over; the dialog must still be open at that time.
    browser.wait("document.querySelector('dialog .danger')?.disabled === false", "the enabled confirmation button")
    if browser.value(FOCUS) != "Cancel":
        raise Failure(f"the focus is on {browser.value(FOCUS)}, not on Cancel")
    check_page(browser, keyboard=False)
    browser.key("Escape")
    browser.wait("!document.querySelector('dialog')")


def confirm_removals(browser):
    browser.click("link", "Devices")
    code = browser.value("fetch('/api/enrolment-code').then((answer) => answer.text())")
    keep(browser, "button", "Regenerate", "Regenerate the enrollment code?")
    if browser.value("fetch('/api/enrolment-code').then((answer) => answer.text())") != code:
        raise Failure("a double click has generated a new code")
    # Several devices can have the same name, so the dialog also shows the number.
    number = browser.value("fetch('/api/devices?of=virtual%203').then((answer) => answer.json()).then((device) => device.device)")
    device = f"device “virtual 3” ({number})"
    keep(browser, "button", f"Revoke {device}", f"Revoke {device}?")
    browser.click("button", f"Revoke {device}")
    browser.click("button", "Revoke")
    browser.wait(f"document.querySelector('main').innerText.includes('D{device[1:]} revoked.')")
    revoked = browser.value("""fetch('/api/devices').then((answer) => answer.text())
      .then((text) => text.trim().split('\\n').map(JSON.parse).filter((one) => one.revokedAt).map((one) => one.name).join())""")
    if revoked != "virtual 3":
        raise Failure(f"revoked: {revoked}")
    browser.click("button", "Apps of device “virtual 1”")
    browser.element("link", "Send to com.example.app")
    check_page(browser)
    browser.click("link", "Manage")
    browser.element("button", "Remove app com.example.app")
    browser.click("DisclosureTriangle", "Add an app")
    browser.type("textbox", "Bundle identifier", "com.example.queued")
    browser.type("textbox", "Queue limit per token", "lots")
    browser.click("button", "Add an app")
    browser.wait("document.querySelector('.error:not([hidden])')?.innerText == 'Enter a number from 1 to 4294967294, or all.'")
    check_page(browser)
    update_app(browser)
    for part, button in (("Keys", "Revoke key"), ("Apps", "Remove app"), ("Teams", "Remove team")):
        browser.click("link", part)
        browser.wait(f"document.querySelector('td button')?.ariaLabel.startsWith('{button}')")
        name = browser.value("document.querySelector('td button').ariaLabel")
        keep(browser, "button", name, f"{name}?")
    for part in ("Certificates", "Channels"):
        browser.click("link", part)
        browser.wait(f"document.querySelector('.subnav [aria-current]').innerText == '{part}'")
        check_page(browser)
    browser.click("link", "Certificates")
    browser.click("DisclosureTriangle", "Generate a certificate")
    browser.click("button", "Generate a certificate")
    browser.wait("document.querySelector('.error:not([hidden])')?.innerText == 'Enter the bundle identifier of the app.'")


def update_app(browser):
    """Checks that the form for a new app keeps the settings of an existing app whose fields are empty."""
    app = """fetch('/api/topics').then((answer) => answer.text()).then((text) => text.trim().split('\\n').map(JSON.parse)
      .find((one) => one.topic == 'com.example.queued')).then((one) => one && `${one.keep} ${one.broadcast}`)"""
    for keep_limit, broadcast, done, stored in (("all", "true", "Added.", "all true"), ("", "", "Updated.", "all true"),
                                                ("2", "false", "Updated.", "2 false")):
        browser.type("textbox", "Queue limit per token", keep_limit)
        if not keep_limit:
            browser.value("document.activeElement.value = ''")
        browser.value(f"[...document.querySelectorAll('main form select')].at(-1).value = {broadcast!r}")
        browser.value("document.querySelectorAll('main [aria-live]').forEach((one) => one.replaceChildren())")
        browser.click("button", "Add an app")
        browser.wait(f"document.querySelector('main [aria-live]').innerText == {done!r}")
        if browser.value(app) != stored:
            raise Failure(f"the app has {browser.value(app)}, not {stored}")
    edit_app(browser)
    browser.click("link", "Channels")
    browser.click("DisclosureTriangle", "Add a channel")
    browser.click("button", "Add a channel")
    browser.wait("document.querySelector('.error:not([hidden])')?.innerText == 'No app has broadcasts on. Turn on broadcasts for an app first.'")
    browser.click("link", "Apps")


def edit_app(browser):
    """Checks that the form selects the team of an existing app, and that a link in the list fills in the form."""
    made = browser.value("""(async () => {
      const post = (path, body) => fetch(path, { method: 'POST', headers: { 'x-belfry-console': '1' }, body: JSON.stringify(body) });
      const team = await post('/api/teams', { id: 'KITCHEN001', name: 'Kitchen' });
      const app = await post('/api/topics', { team: 'KITCHEN001', topic: 'com.example.burger', keep: 5 });
      return team.status + app.status;
    })()""")
    if made != 400:
        raise Failure(f"the requests for a team and an app got statuses with the sum {made}")
    browser.click("link", "Teams")
    browser.click("link", "Apps")
    browser.click("DisclosureTriangle", "Add an app")
    team = "document.querySelector('main form select').value"
    browser.wait(f"{team} && {team} != 'KITCHEN001'", "the first team")
    browser.type("textbox", "Bundle identifier", "com.example.burger")
    browser.wait(f"{team} == 'KITCHEN001'", "the team of the app")
    browser.click("link", "Edit app com.example.burger")
    browser.wait("document.activeElement.value == '5' && document.querySelector('main details').open", "the settings of the app")
    browser.type("textbox", "Queue limit per token", "7")
    browser.click("button", "Add an app")
    browser.wait("document.querySelector('main [aria-live]').innerText == 'Updated.'")
    check_page(browser)
    browser.click("link", "Certificates")
    browser.click("DisclosureTriangle", "Generate a certificate")
    browser.wait("document.querySelector('#certificate-apps option')", "the apps")
    browser.type("combobox", "Bundle identifier", "com.example.bürger")
    browser.click("button", "Generate a certificate")
    browser.wait("document.querySelector('.error:not([hidden])')?.innerText.startsWith('The gateway has no app with this bundle identifier.')")
    browser.type("combobox", "Bundle identifier", "com.example.burger")
    browser.click("button", "Generate a certificate")
    browser.wait("document.querySelector('section[aria-label=\"Provider certificates\"] td:nth-child(2)')?.innerText == 'KITCHEN001'")
    # The private key is not lost when the user leaves the screen.
    serial = browser.value("document.querySelector('section[aria-label=\"Provider certificates\"] td').innerText")
    browser.click("link", "Teams")
    browser.click("link", "Certificates")
    browser.element("button", f"Save certificate and key (PEM) of {serial}")
    check_page(browser)
    # Nobody else has the private key, so the console asks before it is lost.
    may_leave = "dispatchEvent(new Event('beforeunload', { cancelable: true }))"
    keep(browser, "button", "Sign out", "Sign out without the private key?")
    if browser.value(may_leave):
        raise Failure("the browser leaves the page without a question although a private key is not saved")
    browser.click("button", f"Save certificate and key (PEM) of {serial}")
    if not browser.value(may_leave):
        raise Failure("the browser asks about a private key that is saved")
    revoke_certificate(browser, serial)
    browser.click("link", "Teams")
    browser.value("fetch('/api/teams/KITCHEN001?force=1', { method: 'DELETE', headers: { 'x-belfry-console': '1' } })")


def revoke_certificate(browser, serial):
    """Checks that the longer state of a revoked certificate breaks no identifier in the list."""
    browser.click("button", f"Revoke certificate {serial}")
    browser.click("button", "Revoke")
    row = "document.querySelector('section[aria-label=\"Provider certificates\"] tbody tr')"
    browser.wait(f"{row}?.innerText.includes('revoked ')")
    browser.wait(f"[...{row}.querySelectorAll('code, .app')].every((one) => one.getClientRects().length == 1)", "identifiers in one line")
    check_page(browser)


def see_stale(browser, pid):
    """Checks that the page marks the numbers of a gateway that doesn't respond."""
    browser.click("link", "Overview")
    browser.wait(GOOD)
    browser.wait("document.querySelector('[aria-label=Gateway]')?.innerText.includes('Provider API')")
    os.kill(pid, signal.SIGSTOP)
    try:
        browser.wait("document.querySelector('.verdict.bad h2')?.innerText == 'Connection lost'")
        browser.wait("document.querySelector('.stale .tile') && document.querySelector('.verdict').innerText.includes('The numbers below are from')")
        check_page(browser, keyboard=False)
    finally:
        os.kill(pid, signal.SIGCONT)
    browser.wait(f"{GOOD} && !document.querySelector('.stale')")


def see_faults(browser):
    """Checks that the overview reports active faults, and how to list them."""
    browser.click("link", "Overview")
    browser.wait(GOOD)
    added = browser.value("""fetch('/api/faults', { method: 'POST', headers: { 'x-belfry-console': '1' },
      body: JSON.stringify({ reason: 'TooManyRequests', topic: 'com.example.none' }) }).then((answer) => answer.status)""")
    if added != 200:
        raise Failure(f"the request to add a fault got status {added}")
    browser.wait("document.querySelector('.verdict.fair')?.innerText.includes('1 fault is active')")
    browser.wait("document.querySelector('.verdict code').innerText.startsWith('belfry fault list --data /')")
    check_page(browser)
    browser.value("fetch('/api/faults', { method: 'DELETE', headers: { 'x-belfry-console': '1' } })")
    browser.wait(GOOD)


def see_facts(browser):
    """Checks that no address in the overview is broken, and that a narrow screen shows each value below its label."""
    browser.click("link", "Overview")
    browser.wait("document.querySelectorAll('.facts .address').length >= 5", "the addresses")
    whole = "[...document.querySelectorAll('.facts .address')].every((one) => one.getClientRects().length == 1)"
    below = """[...document.querySelectorAll('.facts.card dt')].every((one) =>
      one.nextElementSibling.getBoundingClientRect().top >= one.getBoundingClientRect().bottom - 1)"""
    browser.wait(whole, "addresses in one line")
    browser.resize(390)
    browser.wait(f"{whole} && {below}", "values below their labels")
    browser.resize(1280)


SILENT = "The gateway does not respond."


def see_silence(browser, pid):
    """Checks that each screen says that the gateway doesn't respond, and recovers when the user retries."""
    # Shorten the time limit of the page's requests.
    browser.value("{ const later = window.setTimeout; window.setTimeout = (body, wait, ...rest) => later(body, wait === 5000 ? 500 : wait, ...rest); }")
    browser.click("link", "Metrics")
    browser.wait("document.querySelector('.plot path[d^=M]')", "a value in a plot")
    os.kill(pid, signal.SIGSTOP)
    try:
        browser.click("button", "15 minutes")
        browser.wait(f"document.querySelector('main').innerText.includes({SILENT!r}) && document.querySelector('.plots.stale')")
        browser.wait("document.querySelector('main').innerText.includes('The plots below are from')")
        check_page(browser, keyboard=False)
        for link in ("Phone", "Overview"):
            browser.click("link", link)
            browser.wait(f"document.querySelector('main').innerText.includes({SILENT!r})", f"the problem on {link}")
            browser.element("button", "Retry")
            check_page(browser, keyboard=False)
        browser.click("link", "Devices")
        browser.wait(f"document.querySelector('section[aria-label=Devices]').innerText.includes({SILENT!r})")
        check_page(browser, keyboard=False)
    finally:
        os.kill(pid, signal.SIGCONT)
    browser.click("button", "Retry")
    browser.wait("document.querySelector('section[aria-label=Devices] td') && document.querySelector('main').innerText.includes('Enrollment code:')")
    browser.reload()
    browser.wait("document.querySelector('section[aria-label=Devices] td')")


def send(browser):
    """Sends a push to a chosen device and app; checks that no error is shown before typing and that the push is in the
    history. Returns the push's ID."""
    browser.click("link", "Send")
    browser.wait("document.querySelector('.check')?.innerText.startsWith('Choose a device and an app')")
    if browser.value("document.querySelectorAll('.error:not([hidden]), .check.bad, [aria-invalid]').length"):
        raise Failure("an error is shown before the user types")
    # Enter chooses the device, and sends nothing.
    browser.value("{ const get = window.fetch; window.sent = 0; window.fetch = (path, ...rest) => { if (path === '/api/push' && rest[0]?.method === 'POST') window.sent += 1; return get(path, ...rest); }; }")
    browser.type("combobox", "Device", "virtual 1")
    browser.key("Enter")
    browser.wait("document.querySelector('.check.good')", "a valid push for the chosen device")
    if browser.value("window.sent + document.querySelector('section[aria-label=Response]').innerText.length"):
        raise Failure("Enter in the field of the device sends a push")
    browser.key("Tab")
    browser.wait("document.querySelector('.copy .json-key')?.innerText == '\"aps\"'")
    browser.type("textbox", "Expires after (seconds)", "soon")
    browser.click("button", "Send")
    browser.wait("document.querySelector('.error:not([hidden])')?.innerText == 'Enter a number of seconds from now, from 0 to 999999999.'")
    browser.type("textbox", "Expires after (seconds)", "60")
    browser.wait("document.querySelector('.check.good')", "a valid push that expires in a minute")
    browser.click("button", "Send")
    browser.wait("document.querySelector('.apns-id')")
    sent = browser.value("document.querySelector('.apns-id').innerText")
    browser.click("DisclosureTriangle", "History")
    browser.wait("document.querySelector('.saved .badge')?.innerText == '200'")
    browser.click("DisclosureTriangle", "Saved payloads")
    browser.type("textbox", "Name for the payload", "Breakfast")
    browser.click("button", "Save payload")
    browser.click("button", "Delete payload Breakfast")
    browser.click("button", "Undo")
    browser.type("textbox", "Payload", "{}")
    browser.click("button", "Use payload Breakfast")
    browser.wait("document.querySelector('[name=payload]').value.includes('Burger Town')")
    check_page(browser)
    return sent


# Records the tokens of the pushes that the page sends, and accepts them instead of the gateway.
RECORDED = """{
  const get = window.fetch;
  window.tokens = [];
  window.fetch = (path, ...rest) => {
    if (path !== '/api/push' || rest[0]?.method !== 'POST') return get(path, ...rest);
    window.tokens.push(JSON.parse(rest[0].body).token ?? '');
    const id = '00000000-0000-4000-8000-000000000000';
    return Promise.resolve(new Response(JSON.stringify({ status: 200, apnsID: id })));
  };
}"""
TOKEN = """fetch('/api/devices?of={device}').then((answer) => answer.json())
  .then((device) => fetch(`/api/devices/${{device.device}}/apps`)).then((answer) => answer.json()).then((app) => app.token)"""


def change_device(browser):
    """Checks that a push is sent only to the device in the field, and to no device while the field names none."""
    first, second = (browser.value(TOKEN.format(device=f"virtual%20{number}")) for number in (1, 2))
    browser.value(RECORDED)
    shown = "document.querySelector('[name=token]').value"
    browser.type("combobox", "Device", "virtual 1")
    browser.key("Enter")
    browser.wait(f"{shown} == {first!r} && document.querySelector('.check.good')", "the token of the first device")
    browser.type("combobox", "Device", "virtual 2")
    if browser.value(f"{shown} != '' || document.querySelector('.check.good') !== null"):
        raise Failure("a changed device leaves the token and the forecast of the previous one")
    browser.click("button", "Send")
    browser.wait(f"window.tokens.join() == {second!r}", "a push to the device in the field")
    browser.wait(f"{shown} == {second!r} && document.querySelector('.check.good')", "the token of the second device")
    browser.type("combobox", "Device", "virtal 1")
    browser.key("Tab")
    browser.wait("document.querySelector('.error:not([hidden])')?.innerText == 'No device matches “virtal 1”.'")
    browser.click("button", "Send")
    browser.wait("document.querySelector('section[aria-label=Response]').innerText.startsWith('Not sent')")
    if browser.value("window.tokens.length") != 1 or browser.value(f"{shown} + (document.querySelector('.check.good')?.innerText ?? '')"):
        raise Failure("a push is sent or announced although the field names no device")
    check_page(browser)
    # A token that the user enters replaces the choice of a device.
    browser.type("textbox", "Device token", first)
    browser.wait("document.querySelector('[name=device]').value == '' && document.querySelector('.check.good')", "a valid push to the token")
    browser.click("button", "Send")
    browser.wait(f"window.tokens.at(-1) == {first!r}", "a push to the token")
    browser.reload()


ROWS = "document.querySelectorAll('.virtual tbody tr:not([aria-hidden])').length"
PUSH = """fetch('/api/push', {{ method: 'POST', headers: {{ 'x-belfry-console': '1' }},
  body: JSON.stringify({{ token: {token}, topic: 'com.example.app', type: '{type}', payload: '{{"aps":{{"content-available":1}}}}' }}) }})
  .then((answer) => answer.json())"""


def read_log(browser, sent):
    """Filters, pauses, and exports the log, and opens the history of a row. The log starts with the push `sent`."""
    token = browser.value(TOKEN.format(device="virtual%202"))
    browser.click("link", "Log")
    browser.wait("document.querySelector('.logbar').innerText.startsWith('Live')")
    answer = browser.value(PUSH.format(token=json.dumps(token), type="background"))
    if answer["status"] != 200:
        raise Failure(f"the response to the push is {answer}")
    refused = browser.value(PUSH.format(token="'00ff'", type="alert"))
    row = f"[...document.querySelectorAll('.virtual tr')].find(one => one.innerText.includes('{answer['apnsID']}'))?.innerText"
    browser.wait(f"{row}?.includes('Delivered to Device') && {row}.includes('background')")
    browser.wait(f"document.querySelector('.virtual tbody').innerText.includes({refused['apnsID']!r})", "the refused push")
    browser.wait(f"document.querySelector('.virtual tbody').innerText.includes({sent!r})", "the push that was sent earlier")
    before = 3
    browser.wait(f"{ROWS} == {before}", "three notifications")
    browser.value("document.querySelector('[name=state]').value = 'Refused'; document.querySelector('[name=state]').form.requestSubmit()")
    browser.wait(f"{ROWS} == 1 && document.querySelector('.virtual tbody').innerText.includes('BadDeviceToken')")
    if "state=Refused" not in browser.value("location.hash"):
        raise Failure("the filter is not in the address")
    browser.click("button", "Clear filters")
    browser.wait(f"{ROWS} == {before}")
    browser.type("searchbox", "Search, or a device token or ID", refused["apnsID"])
    browser.wait(f"{ROWS} == 1")
    browser.click("button", "Clear filters")
    browser.wait(f"{ROWS} == {before}")
    browser.type("textbox", "Device number or name", "virtual 2")
    browser.wait("/[?&]device=[0-9]+/.test(location.hash)", "the number of the named device")
    browser.click("button", "Clear filters")
    browser.wait(f"{ROWS} == {before}")
    browser.type("textbox", "Device number or name", "none")
    browser.wait("document.querySelector('main > .error').innerText == 'No device matches “none”.'")
    browser.click("button", "Clear filters")
    browser.value("{ const time = document.querySelector('[name=time]'); time.value = 'custom'; time.form.requestSubmit(); }")
    browser.wait("[...document.querySelectorAll('.range')].map((one) => one.innerText.trim()).join() == 'From,To'", "labels of the times")
    check_page(browser)
    browser.click("button", "Clear filters")
    browser.wait(f"{ROWS} == {before} && document.querySelector('.logbar').innerText.startsWith('Live')")
    browser.click("button", "Pause")
    browser.wait("document.querySelector('.logbar').innerText.startsWith('Paused')")
    browser.value(PUSH.format(token=json.dumps(token), type="background"))
    browser.wait("document.querySelector('.logbar').innerText.includes('new lines') && !document.querySelector('.logbar').innerText.includes(', 0 new')")
    if browser.value(ROWS) != before:
        raise Failure("a paused log shows new lines")
    browser.click("button", "Resume")
    browser.wait("document.querySelector('.logbar').innerText.startsWith('Live')")
    browser.wait(f"{ROWS} == {before + 1}")
    browser.value("{ const make = URL.createObjectURL; URL.createObjectURL = (blob) => { window.saved = blob.text(); return make(blob); }; }")
    browser.click("button", "Export JSON lines")
    browser.wait("window.saved")
    lines = [json.loads(line) for line in browser.value("window.saved").splitlines()]
    if not {answer["apnsID"], refused["apnsID"]} <= {line["apnsID"] for line in lines}:
        raise Failure(f"the export lacks a push: {lines}")
    browser.value("window.saved = null")
    browser.click("button", "Export CSV")
    browser.wait("window.saved")
    table = browser.value("window.saved").splitlines()
    if table[0] != "at,state,reason,apnsID,uniqueID,device,topic,pushType" or len(table) != len(lines) + 1:
        raise Failure(f"the table is {table}")
    browser.value(f"[...document.querySelectorAll('.virtual tr')].find(one => one.innerText.includes('{answer['apnsID']}')).querySelector('button').click()")
    states = "[...document.querySelectorAll('.detail .timeline li')].map(one => one.innerText)"
    for state in ("Received by APNs", "Sent", "Delivered to Device"):
        browser.wait(f"{states}.some(text => text.includes({state!r}))", state)
    browser.wait("JSON.parse(document.querySelector('.detail pre')?.innerText ?? '{}').aps?.['content-available'] == 1", "the payload")
    browser.wait("document.querySelector('.detail .json-key')?.innerText == '\"aps\"'")
    check_page(browser)
    for width in (1100, 1280):
        browser.resize(width)
        browser.wait("[...document.querySelectorAll('.virtual td.app')].every((one) => one.scrollWidth <= one.clientWidth)",
                     f"whole names of apps at {width} pixels")
    browser.key("Escape")
    browser.wait("document.querySelector('.detail').hidden")
    browser.resize(1280, 800)
    height = browser.value("document.querySelector('.rows').clientHeight / 26 - 1")
    if height < 20:
        raise Failure(f"{height} rows fit on a screen of 1280 by 800")
    browser.resize(1280)


# Replaces the gateway's stream with a burst of lines, which the page must process as fast as it can.
BURST = """
window.EventSource = class {
  constructor() { window.source = this; setTimeout(() => this.onopen?.(), 0); }
  close() {}
};
window.burst = async (from, to) => {
  for (let number = from; number < to; number += 1) {
    const id = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
    const at = new Date(1795000000000 + number).toISOString();
    for (const state of ['Received by APNs', 'Sent', 'Delivered to Device']) {
      window.source.onmessage({ data: JSON.stringify({ at, state, apnsID: id, uniqueID: id, device: number % 50, topic: 'com.example.app', pushType: 'alert' }) });
    }
    if (number % 1000 === 999) await new Promise((resolve) => setTimeout(resolve, 0));
  }
};"""
# The number of lines in three minutes at 1,000 per second, which is ten times the number that the page keeps.
MANY = 200_000
KEPT = 20_000
# Each step must end within the time limit of a step, on a busy machine too.
PIECE = 10_000


def receive(browser, count):
    for start in range(0, count, PIECE):
        browser.value(f"window.burst({start}, {start + PIECE})")


def burst(browser):
    script = browser.call("Page.addScriptToEvaluateOnNewDocument", source=BURST)["identifier"]
    browser.reload()
    browser.wait("window.source?.onmessage && document.querySelector('.logbar')?.innerText.startsWith('Live')")
    receive(browser, KEPT)
    browser.call("HeapProfiler.collectGarbage")
    full = browser.call("Runtime.getHeapUsage")["usedSize"]
    receive(browser, MANY)
    browser.call("HeapProfiler.collectGarbage")
    used = browser.call("Runtime.getHeapUsage")["usedSize"]
    browser.wait(f"document.querySelector('.virtual').getAttribute('aria-rowcount') == '{KEPT + 1}'")
    rows = browser.value(ROWS)
    if not 20 <= rows <= 100:
        raise Failure(f"{rows} rows are in the document")
    if used > full * 1.5 + 10_000_000:
        raise Failure(f"the page has {used >> 20} MB after {MANY} notifications, {full >> 20} MB after {KEPT}")
    # The oldest row that the page keeps is at the end of the table.
    browser.value("document.querySelector('.rows').scrollTop = 1e9")
    browser.wait(f"document.querySelector('.virtual tbody').innerText.includes('{MANY - KEPT:012}')", "the oldest row")
    browser.value("document.querySelector('.virtual button').click()")
    # Hidden columns leave no space in the table.
    browser.wait("document.querySelector('.virtual th.state').getBoundingClientRect().right > document.querySelector('.virtual').getBoundingClientRect().right - 2")
    browser.key("Escape")
    browser.call("Page.removeScriptToEvaluateOnNewDocument", identifier=script)
    browser.reload()
    browser.wait("document.querySelector('.logbar')?.innerText.startsWith('Live')")


def read_metrics(browser):
    browser.click("link", "Metrics")
    browser.click("button", "7 days")
    browser.wait("document.querySelector('main [role=status]').innerText.includes('10 minutes')")
    browser.click("button", "15 minutes")
    browser.wait("document.querySelector('main [role=status]').innerText.includes('10 seconds')")
    browser.wait("document.querySelector('.plot path[d^=M]')", "a value in a plot")
    if browser.value("/\\d\\s[AP]M/.test(document.querySelector('.plot').textContent)"):
        raise Failure("a plot has times on a 12-hour clock")
    # The labels of the plots stay readable on a narrow screen.
    browser.resize(390)
    browser.wait("[...document.querySelectorAll('.plot svg text')].every((one) => one.getBoundingClientRect().height >= 11)", "readable labels")
    browser.resize(1280)
    browser.value("document.querySelector('.frame').focus()")
    browser.key("ArrowLeft")
    browser.wait("document.querySelector('.reading').innerText.includes('accepted ')")
    browser.value("document.querySelector('.plot summary').click()")
    browser.wait("document.querySelector('.plot tbody td')")
    check_page(browser)


def use_keys(browser):
    """Checks that the page remembers the theme, and that the keyboard reaches everything."""
    browser.value("{ const theme = document.querySelector('.theme'); theme.value = 'dark'; theme.dispatchEvent(new Event('change')); }")
    back = "getComputedStyle(document.body).backgroundColor"
    browser.wait(f"{back} == 'rgb(20, 23, 27)'")
    browser.reload()
    browser.wait(f"document.querySelector('.plot') && {back} == 'rgb(20, 23, 27)'")
    check_page(browser)
    browser.value("document.body.focus()")
    press(browser, "?")
    browser.element("dialog", "Help")
    check_page(browser, keyboard=False)
    for link in browser.value("[...document.querySelectorAll('dialog a')].map((one) => one.href)"):
        file = link.replace("/console/docs.html#", "/console/docs/")
        if browser.value(f"fetch({file!r}).then((answer) => answer.ok && answer.text()).then((text) => text.startsWith('# '))") is not True:
            raise Failure(f"{link} is not a document")
    browser.key("Escape")
    browser.wait("!document.querySelector('dialog')")
    for letter, title in (("l", "Delivery log"), ("d", "Devices"), ("o", "Overview")):
        press(browser, "g")
        press(browser, letter)
        browser.wait(f"document.querySelector('h1').innerText == {title!r}")


def press(browser, key):
    browser.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=key)
    browser.call("Input.dispatchKeyEvent", type="keyUp", key=key)


def main(chromium, link, pid):
    def flow(browser):
        token = open_link(browser, link)
        see_empty(browser)
        confirm_removals(browser)
        see_faults(browser)
        see_facts(browser)
        see_stale(browser, int(pid))
        see_silence(browser, int(pid))
        sent = send(browser)
        change_device(browser)
        read_log(browser, sent)
        see_cluster(browser)
        burst(browser)
        read_metrics(browser)
        use_keys(browser)
        lose(browser, token)

    visit(chromium, flow)


if __name__ == "__main__":
    main(*sys.argv[1:])
