"""A headless Chromium, driven over its debugging pipe (Chrome DevTools Protocol), with only the standard library."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import threading
import time

TIMEOUT = 60  # seconds for one step, on a busy machine


class Failure(Exception):
    pass


class Browser:
    """One page. Steps wait for an element and name it if they time out."""

    def __init__(self, program, width=1280, height=900, dark=False):
        self.profile = tempfile.mkdtemp(prefix="belfry-browser-")
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()

        def connect():
            # The ends of the pipes must be descriptors 3 and 4; the copies prevent one from overwriting another.
            one, other = os.dup(to_browser), os.dup(from_browser)

            os.dup2(one, 3)
            os.dup2(other, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync", "--mute-audio", "--lang=en-US",
             f"--user-data-dir={self.profile}", "about:blank"],
            preexec_fn=connect, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.number = 0
        self.answers = {}
        self.news = threading.Condition()
        self.is_gone = False
        self.problems = []  # errors that the page reported
        threading.Thread(target=self.read, daemon=True).start()
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self.call(f"{domain}.enable")
        self.resize(width, height)
        self.scheme(dark)

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    # The protocol

    def read(self):
        rest = b""
        while piece := os.read(self.input, 1 << 16):
            *messages, rest = (rest + piece).split(b"\0")
            for message in messages:
                self.receive(json.loads(message))
        with self.news:
            self.is_gone = True
            self.news.notify_all()

    def receive(self, message):
        with self.news:
            if "id" in message:
                self.answers[message["id"]] = message
            elif message["method"] == "Runtime.exceptionThrown":
                details = message["params"]["exceptionDetails"]
                self.problems.append(details.get("exception", {}).get("description") or details["text"])
            elif message["method"] == "Log.entryAdded":
                entry = message["params"]["entry"]
                # The pages check whether the user is signed in and show refusals, which aren't errors of the page.
                if entry["level"] == "error" and "status of 4" not in entry["text"]:
                    self.problems.append(f"{entry['text']} {entry.get('url', '')}")
            self.news.notify_all()

    def call(self, method, **parameters):
        with self.news:
            self.number += 1
            number = self.number
        message = {"id": number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        with self.news:
            if not self.news.wait_for(lambda: number in self.answers or self.is_gone, TIMEOUT):
                raise Failure(f"no answer within {TIMEOUT} s to {method} {json.dumps(parameters)[:300]}")
            if number not in self.answers:
                raise Failure("the browser has exited")
            answer = self.answers.pop(number)
        if "error" in answer:
            raise Failure(f"{method}: {answer['error']['message']}")
        return answer["result"]

    # The page

    def open(self, url):
        self.call("Page.navigate", url=url)

    def resize(self, width, height=900, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=scale, mobile=width < 600)

    def scheme(self, dark):
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"}])

    def value(self, expression):
        """Returns the value of an expression in the page. If the value is a promise, waits for its result."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise Failure(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    def reload(self):
        """Reloads the page and waits for the new document, so that no later wait is satisfied by the old one."""
        self.value("window.isFormer = true")
        self.call("Page.reload")
        self.wait("!window.isFormer && document.readyState == 'complete'", "the reloaded page")

    def wait(self, expression, what=None):
        """Waits until an expression is true."""
        end = time.monotonic() + TIMEOUT
        while True:
            try:
                if self.value(f"!!({expression})"):
                    return
            except Failure as failure:
                # The page might be between two documents.
                if time.monotonic() > end:
                    raise failure
            if time.monotonic() > end:
                shown = self.value("document.body.innerText")
                raise Failure(f"timed out: {what or expression}; the page shows:\n{shown}\n"
                              + "\n".join(self.problems))
            # Page events would require a listener for each condition; a poll takes a millisecond.
            with self.news:
                self.news.wait(0.05)

    def element(self, role, name):
        """Returns the element with that role and name, as in the accessibility tree that a screen reader uses."""
        end = time.monotonic() + TIMEOUT
        while True:
            nodes = self.call("Accessibility.queryAXTree", accessibleName=name, role=role,
                              objectId=self.document())["nodes"]
            nodes = [node for node in nodes if not node.get("ignored") and not any(
                one["name"] == "disabled" and one["value"]["value"] for one in node["properties"])]
            if len(nodes) == 1:
                return nodes[0]["backendDOMNodeId"]
            if time.monotonic() > end:
                shown = self.value("document.body.innerText")
                raise Failure(f"found {len(nodes)} elements with role {role} and name '{name}'; the page shows:\n{shown}\n"
                              + "\n".join(self.problems))
            with self.news:
                self.news.wait(0.05)

    def document(self):
        return self.call("Runtime.evaluate", expression="document")["result"]["objectId"]

    def on_element(self, role, name, act):
        """Acts on an element, and tries again if the page has redrawn the element."""
        end = time.monotonic() + TIMEOUT
        while True:
            node = self.element(role, name)
            try:
                return act(node)
            except Failure as failure:
                gone = ("detached", "No node", "not have a layout", "Could not compute", "Cannot find")
                if time.monotonic() > end or not any(word in str(failure) for word in gone):
                    raise Failure(f"{role} '{name}': {failure}") from None

    def click(self, role, name):
        def act(node):
            self.call("DOM.scrollIntoViewIfNeeded", backendNodeId=node)
            box = self.call("DOM.getBoxModel", backendNodeId=node)["model"]["content"]
            x, y = sum(box[0::2]) / 4, sum(box[1::2]) / 4
            for kind in ("mousePressed", "mouseReleased"):
                self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

        self.on_element(role, name, act)

    def type(self, role, name, text):
        """Replaces the text in a field by typing."""
        self.on_element(role, name, lambda node: self.call("DOM.focus", backendNodeId=node))
        self.value("document.activeElement.select?.()")
        self.call("Input.insertText", text=text)

    def key(self, key, code=None):
        codes = {"Tab": 9, "Enter": 13, "Escape": 27}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key,
                      windowsVirtualKeyCode=codes.get(key, 0),
                      **({"text": "\r"} if key == "Enter" and kind == "keyDown" else {}))

    def picture(self, file, whole=False):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(file, "wb") as output:
            output.write(base64.b64decode(data))
