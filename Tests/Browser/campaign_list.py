"""The parts of campaign_flow.py that send a campaign to a list of device tokens."""
from browser import Failure
from checks import check_page


def to_a_list(browser):
    """Checks that an invalid token in a list is reported with its line number, and that the campaign isn't stored."""
    browser.click("link", "New campaign")
    browser.wait("document.querySelector('[name=to]')")
    browser.type("textbox", "Body, en", "Only for the list")
    browser.value("""(() => { const to = document.querySelector('[name=to]'); to.value = 'list';
      to.dispatchEvent(new Event('input', { bubbles: true })); })()""")
    browser.click("button", "Dry run")
    browser.wait("[...document.querySelectorAll('.error:not([hidden])')].some(one => one.innerText == 'Enter at least one token.')")
    browser.type("textbox", "Device tokens", "00ff\nnothing")
    browser.click("button", "Dry run")
    browser.wait("[...document.querySelectorAll('.error:not([hidden])')].some(one => one.innerText.startsWith('Line 2: not hexadecimal'))")
    check_page(browser)
    browser.value("""(() => { const to = document.querySelector('[name=to]'); to.value = 'all';
      to.dispatchEvent(new Event('input', { bubbles: true })); })()""")


def keeps_list(browser):
    """Checks that the dry run of an edited campaign uses the campaign's own list of tokens."""
    browser.click("link", "New campaign")
    browser.wait("document.querySelector('h1').innerText == 'New campaign' && document.querySelector('[name=topic]')?.value")
    browser.type("textbox", "Body, en", "For the list")
    browser.value("""(() => { for (const [name, value] of [['to', 'list'], ['list', '00ff'], ['date', '2099-01-01'], ['time', '09:00']]) {
        const field = document.querySelector(`[name=${name}]`);
        field.value = value;
        field.dispatchEvent(new Event('input', { bubbles: true }));
      } })()""")
    browser.click("button", "Dry run")
    browser.click("button", "Schedule for 1 device")
    browser.wait("document.querySelector('.figures')?.innerText == '1 device token in the list.'")
    browser.click("link", "Edit")
    browser.wait("document.querySelector('[name=name]')?.value == 'For the list'")
    browser.click("button", "Dry run")
    browser.wait("document.querySelector('.check.good')?.innerText.startsWith('Would be sent to 1 device.')")
    browser.click("link", "Campaigns")
    browser.wait("document.querySelector('h1').innerText == 'Campaigns' && document.querySelector('tbody a')")
    if browser.value("document.body.innerText.includes('Copy of For the list')"):
        raise Failure("the dry run has left a copy of the campaign")
