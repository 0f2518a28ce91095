"""The common part of a visit to either console: signing in, looking at every screen, and signing out."""
import sys

from browser import Browser, Failure
from checks import check_page


def sign_in(browser, url, token):
    browser.open(url)
    browser.type("textbox", "Admin token", "not the token")
    browser.click("button", "Sign in")
    browser.wait("document.querySelector('.error')?.innerText.startsWith('Wrong admin token.')")
    browser.type("textbox", "Admin token", token)
    # The keyboard must also be sufficient.
    browser.key("Enter")
    browser.wait("document.querySelector('.verdict.good h2')?.innerText == 'Everything is working'")
    if browser.value("document.cookie") != "":
        raise Failure("a script can read the session's cookie")


def look_around(browser, screens, seen=lambda screen, look: None):
    """Checks each screen in dark mode and at a phone's width, and calls `seen` for each."""
    for screen in screens:
        browser.click("link", screen)
        for dark, width in ((True, 1280), (False, 390)):
            browser.scheme(dark)
            browser.resize(width)
            check_page(browser, keyboard=width == 390)
            seen(screen, "dark" if dark else "narrow")
        browser.resize(1280)


def sign_out(browser):
    browser.click("button", "Sign out")
    browser.element("textbox", "Admin token")


def visit(chromium, flow):
    """Runs a flow in a new browser, and exits with the failures, including errors in the page's console."""
    browser = Browser(chromium)
    try:
        # With reduced motion, banners stay on screen, even if a flow reaches them late.
        browser.scheme(False)
        flow(browser)
        if browser.problems:
            raise Failure("\n".join(browser.problems))
    except Failure as failure:
        sys.exit(f"{failure}")
    finally:
        browser.close()
    print("ok")
