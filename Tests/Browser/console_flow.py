#!/usr/bin/env python3
"""The console as a person uses it, in a headless browser: signs in, sends a push from the form, sees each state of it
in the log. console_flow.py CHROMIUM URL TOKEN-FILE DEVICE-TOKEN TOPIC"""
import pathlib
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


def send(browser, token, topic):
    browser.click("link", "Send")
    browser.type("textbox", "Device token", token[:-1])
    browser.wait("document.querySelector('.error:not([hidden])')?.innerText.startsWith('BadDeviceToken (400)')")
    browser.type("textbox", "Device token", token)
    browser.type("combobox", "Topic", topic)
    browser.type("textbox", "Payload", '{"aps":\n {"alert": "Hi",}}')
    browser.wait("document.body.innerText.includes('Line 2, column 16: there is a comma before')")
    check_page(browser)
    browser.click("button", "An alert")
    browser.wait("document.querySelector('.check.good')")
    browser.click("button", "Send")
    browser.wait("document.querySelector('.apns-id')")
    return browser.value("document.querySelector('.apns-id').innerText")


def read_log(browser, apns_id):
    browser.click("link", "Follow it in the log")
    states = "[...document.querySelectorAll('.timeline li')].map(one => one.innerText.split(' ').slice(1).join(' '))"
    for state in ("Received by APNs", "Sent", "Delivered to Device"):
        browser.wait(f"{states}.some(text => text.startsWith({state!r}))", state)
    browser.wait(f"document.querySelector('.ids code').innerText == {apns_id!r}")
    check_page(browser)


def main(chromium, url, token_file, token, topic):
    browser = Browser(chromium)
    try:
        sign_in(browser, url, pathlib.Path(token_file).read_text().strip())
        check_page(browser)
        read_log(browser, send(browser, token, topic))
        for dark, width in ((True, 1280), (False, 390), (True, 390)):
            browser.scheme(dark)
            browser.resize(width)
            check_page(browser)
        browser.click("button", "Sign out")
        browser.element("textbox", "Admin token")
        if browser.problems:
            raise Failure("\n".join(browser.problems))
    finally:
        browser.close()


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Failure as failure:
        sys.exit(f"{failure}")
    print("ok")
