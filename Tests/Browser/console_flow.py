#!/usr/bin/env python3
"""Uses the console as a user does, in a headless browser: signs in, adds a virtual phone and installs an app on it,
sends it a push from the form, answers the push there with text, and sees each state in the log. There are DEVICES other
devices.
console_flow.py CHROMIUM URL TOKEN-FILE TOPIC DEVICES [PICTURES-FOLDER]"""
import ast
import pathlib
import shlex
import sys

from browser import Failure
from checks import check_page
from visit import look_around, sign_in, sign_out, visit


def take_phone(browser, topic):
    browser.click("link", "Phone")
    browser.click("button", "Add a phone")
    browser.type("textbox", "Bundle identifier", "no bundle")
    browser.click("button", "Install")
    browser.wait("document.body.innerText.includes(\"'no bundle' is not a valid bundle identifier\")")
    browser.type("textbox", "Bundle identifier", topic)
    browser.click("button", "Install")
    browser.element("alertdialog", "Permission")
    check_page(browser)
    browser.click("button", "Allow")
    browser.wait("document.querySelector('.happened')?.innerText.includes('received its device token')")
    browser.wait("[...document.querySelectorAll('.happened li')].every(one => one.querySelector('time'))",
                 "a time at each line of what happened")
    browser.click("link", f"Compose a push to {topic}")


def send(browser):
    browser.wait("document.querySelector('.check.good')")
    token = browser.value("document.querySelector('[name=token]').value")
    browser.type("textbox", "Device token", token[:-1])
    browser.wait("document.querySelector('.error:not([hidden])')?.innerText.startsWith('BadDeviceToken (400)')")
    browser.type("textbox", "Device token", token)
    browser.type("textbox", "Payload", '{"aps":\n {"alert": "Hi",}}')
    browser.wait("document.body.innerText.includes('Invalid JSON at line 2, column 16: trailing comma before')")
    check_page(browser)
    browser.click("button", "Alert with actions")
    browser.wait("document.querySelector('.check.good')")
    browser.click("button", "Send")
    browser.wait("document.querySelector('.apns-id')")
    return browser.value("document.querySelector('.apns-id').innerText")


def answer(browser, topic):
    browser.click("link", "Phone")
    browser.element("article", f"Notification from {topic}")
    check_page(browser)
    browser.click("button", "Reply")
    browser.type("textbox", "Reply", "On my way")
    browser.key("Enter")
    browser.wait("document.body.innerText.includes('received: action “reply” with text “On my way”')")
    browser.wait("!document.querySelector('.overlay .banner')", "the banner to disappear")


def use_phone(browser, topic):
    """Checks the phone's other screens, which list received pushes and change switches, and the lock screen, which
    shows new pushes."""
    browser.click("button", f"Push to {topic}: Alert")
    browser.element("article", f"Notification from {topic}")
    browser.click("button", "Notification Center")
    browser.element("article", "Burger Town")
    check_page(browser)
    browser.click("button", "Settings")
    browser.click("switch", "Sounds")
    browser.wait("document.querySelector('[data-key$=\" sound\"]').checked === false")
    check_page(browser)
    browser.click("button", "Lock")
    browser.wait("document.querySelector('.lock .clock')")
    browser.click("button", f"Push to {topic}: Alert with actions")
    browser.wait("document.querySelector('.lock .banner')")
    check_page(browser)
    browser.click("button", "Unlock")
    browser.click("button", "Home")
    browser.element("button", f"Open {topic}, badge 1")
    lock(browser, topic)


LOCKED = "[...document.querySelectorAll('.lock .banner')].map(one => one.innerText).join('|')"


def lock(browser, topic):
    """Checks that the lock screen lists all pushes that weren't dismissed, and is the same on each visit."""
    browser.click("button", f"Push to {topic}: Alert")
    browser.wait("document.querySelector('.overlay .banner')", "a banner")
    browser.click("button", "Lock")
    browser.wait("document.querySelectorAll('.lock .banner').length == 3", "the received pushes are on the lock screen")
    before = browser.value(LOCKED)
    browser.click("link", "Overview")
    browser.wait("document.querySelector('.verdict')")
    browser.click("link", "Phone")
    browser.wait("document.querySelector('.lock .clock')")
    browser.wait(f"{LOCKED} == {before!r}", f"the lock screen as it was: {before}")
    browser.click("button", "Unlock")
    # The lock screen also shows notifications that Notification Center doesn't list.
    browser.click("button", "Notification Center")
    browser.click("button", f"Clear {topic}")
    browser.wait("document.querySelector('.stage').innerText.includes('No notifications.')")
    browser.click("button", "Settings")
    browser.click("switch", "Notification Center")
    browser.wait("document.querySelector('[data-key$=\" center\"]').checked === false")
    browser.click("button", "Lock")
    browser.wait("document.querySelector('.lock .clock')")
    browser.click("button", f"Push to {topic}: Alert")
    browser.wait("document.querySelectorAll('.lock .banner').length == 1")
    browser.click("link", "Overview")
    browser.wait("document.querySelector('.verdict')")
    browser.click("link", "Phone")
    browser.wait("document.querySelectorAll('.lock .banner').length == 1", "the push that arrived while the phone was locked")
    browser.click("button", "Unlock")
    browser.click("button", "Settings")
    browser.click("switch", "Notification Center")


# The maximum length of identifiers in Apple's examples, which is wider than a phone's screen.
LONG = "org.example." + "verylongname" * 12


def install_long(browser):
    """Checks that a long name makes nothing wider than its page, and that the other screens adapt to every width."""
    browser.type("textbox", "Bundle identifier", LONG)
    browser.click("button", "Install")
    browser.element("alertdialog", "Permission")
    browser.click("button", "Allow")
    browser.element("link", f"Compose a push to {LONG}")
    for screen in ("Settings", "Home"):
        browser.click("button", screen)
        for width in (390, 1280):
            browser.resize(width)
            check_page(browser, keyboard=False)


# The number of devices on a page of the list.
PAGE = 100


def manage_devices(browser, devices, token):
    """Checks a list of more devices than fit on a page: it shows their number, and finds each device by its name or
    token."""
    browser.click("link", "Devices")
    shown = "document.querySelector('[aria-label=Devices] [role=status]')?.innerText"
    rows = "document.querySelectorAll('section[aria-label=Devices] tbody tr').length"
    browser.wait(f"{shown} == 'Devices 1–{PAGE} of {devices}' && {rows} == {PAGE}")
    browser.click("button", "Next devices")
    browser.wait(f"{shown} == 'Devices {PAGE + 1}–{devices} of {devices}' && {rows} == {devices - PAGE}")
    check_page(browser)
    browser.click("button", "Previous devices")
    browser.wait(f"{shown} == 'Devices 1–{PAGE} of {devices}' && {rows} == {PAGE}")
    for text in ("Console's", token):
        browser.type("searchbox", "Find a device", text)
        browser.key("Enter")
        browser.wait(f"{rows} == 1 && document.querySelector('section[aria-label=Devices] tbody').innerText.includes(\"console's phone 1\")",
                     f"the device found by {text}")
    browser.type("searchbox", "Find a device", "nobody's")
    browser.key("Enter")
    browser.wait("document.querySelector('section[aria-label=Devices]').innerText.includes('No device matches')")
    check_page(browser)


TEAM = "GONETEAM00"


def remove_team(browser):
    """Removes a team that nothing depends on, and a team together with everything that depends on it."""
    browser.click("link", "Manage")
    browser.click("link", "Teams")
    # The list moves the elements that follow it.
    browser.wait("document.querySelector('section[aria-label=Teams] td')")
    browser.click("DisclosureTriangle", "Add a team")
    browser.type("textbox", "Name", "Gone")
    browser.type("textbox", "ID", TEAM)
    browser.click("button", "Add a team")
    browser.element("button", f"Remove team {TEAM}")
    made = browser.value(f"""fetch("/api/keys", {{ method: "POST", headers: {{ "x-belfry-console": "1" }},
      body: JSON.stringify({{ team: "{TEAM}", id: "GONEKEY000" }}) }}).then((answer) => answer.status)""")
    if made != 200:
        raise Failure(f"the request to add a key got status {made}")
    browser.click("button", f"Remove team {TEAM}")
    browser.click("button", "Remove")
    teams = "document.querySelector('section[aria-label=Teams]').innerText"
    browser.wait(f"{teams}.includes('eam {TEAM} has 1 key that is not revoked (GONEKEY000)')")
    check_page(browser)
    browser.click("button", f"Remove team {TEAM} and everything in it")
    browser.click("button", "Remove everything")
    browser.wait(f"{teams}.includes('{TEAM} removed.')")
    browser.click("link", "Keys")
    browser.wait("document.querySelector('section[aria-label=\"Provider keys\"] td')")
    browser.wait("!document.querySelector('main').innerText.includes('GONEKEY000')", "the key is also gone")


def read_metrics(browser):
    browser.click("link", "Metrics")
    browser.wait("[...document.querySelectorAll('figcaption')].some(one => one.innerText.startsWith('Delivery latency'))")
    metrics = browser.value("fetch('/metrics').then((answer) => answer.text())")
    counted = [line for line in metrics.splitlines() if line.startswith("belfry_delivery_seconds_count ")]
    if not counted or int(counted[0].split()[1]) == 0:
        raise Failure(f"the deliveries' times are {counted}")


def read_log(browser, url, apns_id):
    browser.open(f"{url}#/log?of={apns_id}")
    browser.wait("document.querySelectorAll('.virtual button').length == 1", "the notification's row")
    browser.value("document.querySelector('.virtual button').click()")
    states = "[...document.querySelectorAll('.timeline li')].map(one => one.innerText.split(' ').slice(1).join(' '))"
    for state in ("Received by APNs", "Sent", "Delivered to Device"):
        browser.wait(f"{states}.some(text => text.startsWith({state!r}))", state)
    browser.wait(f"document.querySelector('.detail .facts code').innerText == {apns_id!r}")
    browser.wait("document.querySelector('.detail [aria-label=Payload] code')?.innerText == '--log-payloads N'", "the option's name")
    check_page(browser)


def copy(browser, url):
    """Checks the push as code: linked and typed values remain one argument, even if they contain shell
    metacharacters."""
    evil = """aa;touch${IFS}/tmp/belfry-was-here;#'\\"$(id)"""
    browser.open(f"{url}#/tools")
    browser.open(f"{url}#/send?topic=com.example.a%3Bb&token=aa;touch${{IFS}}/tmp/belfry-was-here;%23")
    browser.wait("document.querySelector('[role=alert]')?.innerText.startsWith('Ignored the token and topic in the link')")
    if ";" in browser.value("document.querySelector('[name=token]').value + document.querySelector('[name=topic]').value"):
        raise Failure("a link fills in an invalid token")
    for field in ("Device token", "Topic", "Collapse ID", "apns-id"):
        browser.type("textbox" if field != "Topic" else "combobox", field, evil)
    line = "document.querySelector('details[data-name=curl] pre')?.textContent"
    browser.wait(f"{line}?.includes('apns-id: aa;touch')")
    words = shlex.split(browser.value(line))
    if not words[-1].endswith(f"/3/device/{evil}") or f"apns-topic: {evil}" not in words or f"apns-id: {evil}" not in words:
        raise Failure(f"a shell parses the curl line as {words}")
    python = browser.value("document.querySelector('details[data-name^=Python] pre').textContent")
    strings = [node.value for node in ast.walk(ast.parse(python)) if isinstance(node, ast.Constant)]
    if strings.count(evil) != 4:
        raise Failure(f"Python reads {strings}")


def main(chromium, url, token_file, topic, devices, pictures=None):
    def flow(browser):
        def picture(name, whole=False):
            if pictures:
                browser.picture(f"{pictures}/{name}.png", whole)

        sign_in(browser, url, pathlib.Path(token_file).read_text().strip())
        check_page(browser)
        take_phone(browser, topic)
        apns_id = send(browser)
        answer(browser, topic)
        use_phone(browser, topic)
        token = browser.value("document.querySelector('.token code').innerText")
        picture("console-phone")
        install_long(browser)
        manage_devices(browser, int(devices) + 1, token)
        remove_team(browser)
        read_metrics(browser)
        read_log(browser, url, apns_id)
        copy(browser, url)
        look_around(
            browser, ("Send", "Log", "Devices", "Phone", "Metrics", "Manage", "Tools", "Overview"),
            lambda screen, look: picture(f"console-{screen.lower()}-{look}"))
        sign_out(browser)

    visit(chromium, flow)


if __name__ == "__main__":
    main(*sys.argv[1:])
