"""The parts of campaign_flow.py that send a campaign to a list of device tokens."""
from browser import Failure
from checks import check_page

ERRORS = "[...document.querySelectorAll('.error:not([hidden])')].map(one => one.innerText).join(' ')"


def set_fields(browser, values):
    """Sets the values of fields of the form, each as an input of the user."""
    for name, value in values.items():
        browser.value(f"""(() => {{ const field = document.querySelector('[name={name}]'); field.value = {value!r};
          field.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()""")


def to_a_list(browser):
    """Checks that invalid tokens in a list are reported with their line numbers while the user types, together with the
    errors in other fields, and that the campaign isn't stored."""
    browser.click("link", "New campaign")
    browser.wait("document.querySelector('[name=to]')")
    browser.type("textbox", "Body, en", "Only for the list")
    browser.value("""(() => { const to = document.querySelector('[name=to]'); to.value = 'list';
      to.dispatchEvent(new Event('input', { bubbles: true })); })()""")
    browser.click("button", "Dry run")
    browser.wait("[...document.querySelectorAll('.error:not([hidden])')].some(one => one.innerText == 'Enter at least one token.')")
    # The check needs neither an app nor a text.
    topic = browser.value("document.querySelector('[name=topic]').value")
    set_fields(browser, {"topic": ""})
    browser.type("textbox", "Body, en", "")
    browser.type("textbox", "Device tokens", "00ff\nnothing\n<00ff 00ee>\n\n0ff")
    line = "Line 2: not hexadecimal. Expected two digits for each byte of the token. Also invalid: line 5."
    browser.wait(f"{ERRORS} == {line!r}", "the invalid lines")
    check_page(browser)
    set_fields(browser, {"topic": topic})
    browser.type("textbox", "Body, en", "Only for the list")
    # A time is incomplete once the user has left both of its fields, without a further input.
    half = "Incomplete time. Enter a date and time, such as 2026-11-25 09:00."
    set_fields(browser, {"date": "2099-01-01"})
    browser.value("window.fetch('/status').then((answer) => answer.text())")
    if half in browser.value(ERRORS):
        raise Failure("a time that the user has not reached yet is marked as an error")
    browser.value("for (const name of ['date', 'time', 'name']) document.querySelector(`[name=${name}]`).focus()")
    browser.wait(f"{ERRORS}.includes({half!r}) && {ERRORS}.includes({line!r})", "both problems as the user types")
    browser.click("button", "Dry run")
    browser.wait(f"document.activeElement.name == 'list' && {ERRORS}.includes({half!r}) && {ERRORS}.includes({line!r})", "both problems of the dry run")
    set_fields(browser, {"date": "", "list": "00ff"})
    browser.wait(f"{ERRORS} == ''", "no errors remain")
    set_fields(browser, {"to": "all"})


def keeps_list(browser):
    """Checks that the dry run of an edited campaign uses the campaign's own list of tokens."""
    browser.click("link", "New campaign")
    browser.wait("document.querySelector('h1').innerText == 'New campaign' && document.querySelector('[name=topic]')?.value")
    browser.type("textbox", "Body, en", "For the list")
    set_fields(browser, {"to": "list", "list": "00ff", "date": "2099-01-01", "time": "09:00"})
    browser.click("button", "Dry run")
    browser.click("button", "Schedule for 1 device")
    browser.wait("document.querySelector('.figures')?.innerText == '1 device token in the list.'")
    browser.click("link", "Edit")
    browser.wait("document.querySelector('[name=name]')?.value == 'For the list'")
    browser.click("button", "Dry run")
    browser.wait("document.querySelector('.check.good')?.innerText.startsWith('Would be sent to 1 device.')")
    finds_the_screens(browser)
    browser.click("link", "Campaigns")
    browser.wait("document.querySelector('h1').innerText == 'Campaigns' && document.querySelector('tbody a')")
    if browser.value("document.body.innerText.includes('Copy of For the list')"):
        raise Failure("the dry run has left a copy of the campaign")


def finds_the_screens(browser):
    """Checks that the form of an edited campaign belongs to the campaigns, and that an error links to a screen rather
    than naming a request."""
    current = "[...document.querySelectorAll('#navigation [aria-current]')].map(one => one.innerText).join()"
    if browser.value(current) != "Campaigns":
        raise Failure(f"the navigation marks '{browser.value(current)}' while a campaign is edited")
    set_fields(browser, {"to": "user", "subject": "nobody"})
    browser.click("button", "Save changes")
    beside = "document.querySelector('[name=subject]').closest('.field').querySelector('.error:not([hidden])')"
    browser.wait(f"{beside}?.innerText.endsWith('Check the recipients: the Devices screen lists the registered devices.')", "the advice")
    if browser.value(f"{beside}.querySelector('a').getAttribute('href')") != "#/devices":
        raise Failure("the error does not link to the Devices screen")
    check_page(browser)
    set_fields(browser, {"to": "list"})
    browser.click("link", "Back to the campaign")
    browser.wait("document.querySelector('h1').innerText == 'For the list' && document.querySelector('[aria-label=Progress]')")
