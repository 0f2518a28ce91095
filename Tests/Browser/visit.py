"""What a visit of either console has in common: signing in, looking at every screen, signing out."""
import sys

from browser import Browser, Failure
from checks import check_page


def sign_in(browser, url, token):
    browser.open(url)
    browser.type("textbox", "Admin token", "not the token")
    browser.click("button", "Sign in")
    browser.wait("document.querySelector('.error')?.innerText.startsWith('this is not the admin token')")
    browser.type("textbox", "Admin token", token)
    # By the keyboard alone, too.
    browser.key("Enter")
    browser.wait("document.querySelector('.verdict.good h2')?.innerText == 'All is well'")
    if browser.value("document.cookie") != "":
        raise Failure("a script can read the session's cookie")


def look_around(browser, screens, seen=lambda screen, look: None):
    """Checks each screen in the dark and at a phone's width; `seen` is told of each."""
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
    """Plays a flow in a browser of its own; ends with what failed, errors of the page's console included."""
    browser = Browser(chromium)
    try:
        # Banners stay, however late a flow comes to them, for who wants nothing to move.
        browser.scheme(False)
        flow(browser)
        if browser.problems:
            raise Failure("\n".join(browser.problems))
    except Failure as failure:
        sys.exit(f"{failure}")
    finally:
        browser.close()
    print("ok")
