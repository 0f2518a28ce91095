import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of the program on a real display.
///
/// The tests read and operate its windows as a screen reader does.
@Suite(
  "belfry-center", .serialized,
  .requires(.xvfb, .xdotool, .dbus, .accessibility, .dbusPython, .systemPython))
struct CenterWindowTests {
  private static let program = Installation.products + "/belfry-center"

  private static let dialog =
    #"{"do":"show","window":"w1","app":"Burger","title":"Dinner","subtitle":"Friday","#
    + #""body":"<b>Bring</b> & share","buttons":["#
    + #"{"id":"R","title":"Reply","input":{"placeholder":"Your answer","send":"Send"}},"#
    + #"{"id":"A","title":"Accept"},{"id":"D","title":"Decline","style":"destructive","hint":"For good"}]}"#

  private func play(
    _ body: (AccessibleDesktop, RunningProgram, Scenario) async throws -> Void
  ) async throws {
    try await Scenario.run { scenario in
      let desktop = try await AccessibleDesktop(on: scenario)
      let center = try scenario.start([Self.program], environment: desktop.environment)
      try await body(desktop, center, scenario)
    }
  }

  @Test
  func `a window shows texts without markup and names every element for screen readers`()
    async throws
  {
    try await play { desktop, center, _ in
      center.tell(Self.dialog)
      #expect(try await center.event("shown")["window"].string == "w1")
      try await desktop.wait("alert dialog", "Burger")
      let elements = try await desktop.elements()
      #expect(
        elements.first { $0.role == "alert dialog" }?.description
          == "Dinner. Friday. <b>Bring</b> & share")
      for text in ["Burger", "Dinner", "Friday", "<b>Bring</b> & share"] {
        #expect(elements.contains { $0.role == "label" && $0.name == text })
      }
      #expect(elements.contains { $0.role == "text box" && $0.name == "Reply" })
      #expect(
        elements.filter { $0.role == "button" }.map(\.name) == ["Send", "Accept", "Decline"])
      #expect(elements.first { $0.name == "Decline" }?.description == "For good")
    }
  }

  @Test
  func `text and pictures that an app draws are visible on the screen`() async throws {
    try await play { desktop, center, scenario in
      let picture = scenario.folder.file("picture.png")
      // The picture consists of 48 by 48 pixels of a single color.
      let bytes = try #require(
        Data(
          base64Encoded:
            "iVBORw0KGgoAAAANSUhEUgAAADAAAAAwCAMAAABg3Am1AAAAA1BMVEXIHlpnOX0XAAAAGUlEQVRI"
            + "x+3BgQAAAADDoPlT3+AEVQEA8AwJMAAB0q0T2gAAAABJRU5ErkJggg=="))
      try bytes.write(to: URL(fileURLWithPath: picture))
      center.tell(
        #"{"do":"show","window":"w1","app":"Burger","content":[{"text":"Leek <soup>"},"#
          + #"{"picture":"\#(picture)"},{"text":"Cream"}],"buttons":[{"id":"A","title":"Order"}]}"#)
      try await desktop.wait("alert dialog", "Burger")
      let elements = try await desktop.elements()
      for text in ["Leek <soup>", "Cream"] {
        #expect(elements.contains { $0.role == "label" && $0.name == text })
      }
      #expect(elements.contains { $0.role == "image" && $0.name == "Burger" })
      try await desktop.waitForPixels("C81E5A", atLeast: 1_500)
    }
  }

  @Test
  func `a button is reported, with what stood in its field`() async throws {
    try await play { desktop, center, _ in
      center.tell(Self.dialog)
      try await desktop.type("With \"pleasure\" <3", into: "Reply")
      try await desktop.press("Send")
      let reply = try await center.event("pressed")
      #expect(reply["window"].string == "w1")
      #expect(reply["button"].string == "R")
      #expect(reply["text"].string == "With \"pleasure\" <3")
      try await desktop.press("Decline")
      let declined = try await center.event("pressed")
      #expect(declined["button"].string == "D")
      #expect(declined["text"] == .null)
    }
  }

  @Test
  func `showing a window again updates it in place, and closing removes it`() async throws {
    try await play { desktop, center, _ in
      center.tell(Self.dialog)
      try await desktop.wait("label", "Dinner")
      center.tell(#"{"do":"show","window":"w1","app":"Burger","title":"Lunch","buttons":[]}"#)
      try await desktop.wait("label", "Lunch")
      #expect(try await !desktop.elements().contains { $0.name == "Dinner" })
      #expect(try await desktop.elements().count { $0.role == "alert dialog" } == 1)
      center.tell(#"{"do":"close","window":"w1"}"#)
      try await desktop.wait("alert dialog", "Burger", isThere: false)
    }
  }

  @Test
  func `the Notification Center's buttons name the app and the notification`() async throws {
    try await play { desktop, center, _ in
      center.tell(
        #"{"do":"center","title":"Notification Center","empty":"Nothing","#
          + #""buttons":[{"id":"clearAll","title":"Clear All","#
          + #""confirm":{"title":"Clear All?","cancel":"Cancel"}}],"groups":[{"id":"a.b","app":"Burger","#
          + #""buttons":[{"id":"keep","title":"Keep"}],"threads":[{"title":"","items":["#
          + #"{"id":"1","title":"Ready","date":"12:00","buttons":[{"id":"open","title":"Open"},"#
          + #"{"id":"r","title":"Reply","input":{"placeholder":"","send":"Send"}}]}]}]}]}"#)
      #expect(try await center.event("shown")["window"].string == "center")
      try await desktop.press("Open")
      let opened = try await center.event("pressed")
      #expect(opened["app"].string == "a.b")
      #expect(opened["item"].string == "1")
      #expect(opened["button"].string == "open")
      // Neither a press that is not confirmed nor its cancellation is reported.
      try await desktop.press("Clear All")
      try await desktop.press("Cancel")
      try await desktop.press("Keep")
      let kept = try await center.event("pressed")
      #expect(kept["app"].string == "a.b")
      #expect(kept["item"] == .null)
      try await desktop.press("Clear All")
      try await desktop.press("Clear All?")
      let cleared = try await center.event("pressed")
      #expect(cleared["button"].string == "clearAll")
      #expect(cleared["app"] == .null)
    }
  }

  private static func list(_ items: String...) -> String {
    #"{"do":"center","title":"Notification Center","empty":"Nothing","groups":[{"id":"a.b","#
      + #""app":"Burger","threads":[{"title":"","items":[\#(items.joined(separator: ","))]}]}]}"#
  }

  @Test
  func `a text window survives other changes to the list, and closes with its notification`()
    async throws
  {
    let first =
      #"{"id":"1","title":"One","buttons":[{"id":"r","title":"Reply","input":{"placeholder":"","send":"Send"}}]}"#
    let second = #"{"id":"2","title":"Two"}"#
    try await play { desktop, center, _ in
      center.tell(Self.list(first, second))
      #expect(try await center.event("shown")["window"].string == "center")
      // The window requests text in a separate window, so that changes to the list don't affect the input.
      try await desktop.press("Reply")
      #expect(try await center.event("shown")["window"].string == "center-text")
      try await desktop.type("Yes", into: "Reply")
      center.tell(Self.list(first))
      try await desktop.wait("label", "Two", isThere: false)
      try await desktop.press("Send")
      let reply = try await center.event("pressed")
      #expect(reply["item"].string == "1")
      #expect(reply["text"].string == "Yes")
      try await desktop.press("Reply")
      try await desktop.wait("alert dialog", "Burger")
      center.tell(Self.list(second))
      try await desktop.wait("alert dialog", "Burger", isThere: false)
    }
  }

  @Test
  func `a change to the list leaves the visible part of the list in place`() async throws {
    try await play { desktop, center, scenario in
      // Each picture consists of 48 by 48 pixels of a single color.
      let pictures = [
        (
          "C81E5A",
          "iVBORw0KGgoAAAANSUhEUgAAADAAAAAwCAMAAABg3Am1AAAAA1BMVEXIHlpnOX0XAAAAGUlEQVRI"
            + "x+3BgQAAAADDoPlT3+AEVQEA8AwJMAAB0q0T2gAAAABJRU5ErkJggg=="
        ),
        (
          "1E5AC8",
          "iVBORw0KGgoAAAANSUhEUgAAADAAAAAwCAMAAABg3Am1AAAAA1BMVEUeWshkKUz8AAAAGUlEQV"
            + "R42u3BgQAAAADDoPlT3+AEVQEA8AwJMAABf9HCkwAAAABJRU5ErkJggg=="
        ),
      ]
      for (color, bytes) in pictures {
        let file = scenario.folder.file("\(color).png")
        try #require(Data(base64Encoded: bytes)).write(to: URL(fileURLWithPath: file))
        let top =
          #"{"id":"0","title":"Top","image":"\#(file)","buttons":[{"id":"open","title":"Open"}]}"#
        let others = (1...15).map { #"{"id":"\#($0)","title":"Title \#($0)","body":"Body"}"# }
        center.tell(Self.list(([top] + others).joined(separator: ",")))
        // The picture in the first notification is visible only if the list is at its beginning.
        try await desktop.waitForPixels(color, atLeast: 1_500)
        // Move the keyboard focus from the list to the button.
        try await desktop.press(key: "Tab", inWindow: "Notification Center")
      }
    }
  }

  private static func settings(
    badge: String, style: String = "banner", problem: String = ""
  ) -> String {
    #"{"do":"settings","title":"Notifications","empty":"No app","problem":"\#(problem)","sections":["#
      + #"{"id":"a.b","title":"Burger","rows":[{"id":"badge","title":"Badges","value":"\#(badge)","#
      + #""choices":[{"value":"on","title":"On"},{"value":"off","title":"Off"}]},"#
      + #"{"id":"style","title":"Style","value":"\#(style)","choices":[{"value":"none","title":"None"},"#
      + #"{"value":"banner","title":"Banner"}]}]}]}"#
  }

  @Test
  func `The settings window reports what the user chooses, and not what it is sent`() async throws {
    try await play { desktop, center, _ in
      center.tell(Self.settings(badge: "on"))
      #expect(try await center.event("shown")["window"].string == "settings")
      try await desktop.wait("label", "Burger")
      // After new values arrive from outside, the next report contains only the change that the user makes.
      center.tell(Self.settings(badge: "off", style: "none"))
      center.tell(Self.settings(badge: "off", style: "none", problem: "refused"))
      try await desktop.wait("label", "refused")
      try await desktop.press("Badges")
      let changed = try await center.event("changed")
      #expect(changed["section"].string == "a.b")
      #expect(changed["row"].string == "badge")
      #expect(changed["value"].string == "on")
      center.tell(#"{"do":"settings","title":"Notifications","empty":"No app","sections":[]}"#)
      try await desktop.wait("label", "No app")
      try await desktop.closeWindow("Notifications")
      #expect(try await center.event("closed")["window"].string == "settings")
    }
  }

  @Test
  func `A refresh while a switch is moving does not undo the user's change`() async throws {
    try await play { desktop, center, _ in
      center.tell(Self.settings(badge: "on"))
      _ = try await center.event("shown")
      try await desktop.wait("label", "Burger")
      // GTK changes a switch's value at the end of its animation, which takes 100 ms.
      try await desktop.press("Badges")
      center.tell(Self.settings(badge: "on"))
      #expect(try await center.event("changed")["value"].string == "off")
    }
  }

  @Test
  func `a window that is closed is reported, and the program ends with the agent`() async throws {
    try await play { desktop, center, scenario in
      center.tell(Self.dialog)
      _ = try await center.event("shown")
      try await desktop.closeWindow("Burger")
      #expect(try await center.event("closed")["window"].string == "w1")
      try await desktop.wait("alert dialog", "Burger", isThere: false)
      center.closeInput()
      #expect(try await center.end() == 0)
    }
  }

  @Test
  func `it says where it cannot begin`() async throws {
    try await Scenario.run { scenario in
      let nowhere = try await scenario.command([Self.program], succeeding: false)
      #expect(nowhere.status == 1)
      #expect(nowhere.errors.contains("no display"))
      #expect(
        try await scenario.command([Self.program, "--help"]).output.contains("belfry-center"))
      #expect(try await scenario.command([Self.program, "me"], succeeding: false).status == 2)
    }
  }
}
