import Testing

@testable import CenterWindow

@Suite("The lines of belfry-center")
struct WindowLinesTests {
  private func command(_ text: String) -> WindowCommand? { WindowCommand(line: Array(text.utf8)) }

  @Test func `Settings are a switch if they are on or off, and a list otherwise`() throws {
    let command = command(
      #"{"do":"settings","title":"N","sections":[{"id":"","rows":[{"id":"focus","value":"on","#
        + #""choices":[{"value":"on"},{"value":"off"}]},{"id":"style","title":"Style","value":"x","#
        + #""choices":[{"value":"none","title":"None"},7]},{"title":"no id"}]},"text"]}"#)
    guard case .settings(let content)? = command else {
      Issue.record("the line was not read")
      return
    }
    #expect(content.sections.map(\.id) == [""])
    let rows = try #require(content.sections.first).rows
    #expect(rows.map(\.id) == ["focus", "style"])
    #expect(rows.map(\.title) == ["focus", "Style"])
    #expect(rows.map(\.isSwitch) == [true, false])
    #expect(rows[1].choices == [.init(value: "none", title: "None")])
  }

  @Test func `a window keeps its texts unchanged and its buttons in order`() throws {
    let command = command(
      #"{"do":"show","window":"w1","app":"Burger","title":"<b>&","focus":"r","direction":"rtl","#
        + #""buttons":[{"id":"r","title":"Reply","input":{"placeholder":"…","send":"Send"}},"#
        + #"{"id":"d","title":"Delete","style":"destructive","hint":"for good"}]}"#)
    guard case .show(let content)? = command else {
      Issue.record("the line was not read")
      return
    }
    #expect(content.window == "w1")
    #expect(content.app == "Burger")
    #expect(content.text.title == "<b>&")
    #expect(content.text.body.isEmpty)
    #expect(content.focus == "r")
    #expect(content.isRightToLeft)
    #expect(content.buttons.map(\.id) == ["r", "d"])
    #expect(content.buttons[0].input == .init(placeholder: "…", send: "Send"))
    #expect(content.buttons[1].style == .destructive)
    #expect(content.buttons[1].hint == "for good")
    #expect(content.buttons[1].input == nil)
  }

  @Test
  func
    `drawn content keeps its order, and items that are neither text nor pictures are dropped`()
    throws
  {
    let command = command(
      #"{"do":"show","window":"w1","content":[{"text":"<b>"},{"picture":"/p"},{"sound":"x"},"#
        + #"7,{"text":"last"}]}"#)
    guard case .show(let content)? = command else {
      Issue.record("the line was not read")
      return
    }
    #expect(content.drawn == [.text("<b>"), .picture("/p"), .text("last")])
    #expect(content.spoken == "<b>. last")
  }

  @Test func `the Notification Center has groups, threads and items`() throws {
    let command = command(
      #"{"do":"center","title":"T","empty":"E","#
        + #""buttons":[{"id":"c","confirm":{"title":"c?","cancel":"no"}}],"groups":["#
        + #"{"id":"a","app":"A","buttons":[],"threads":[{"title":"2","items":[{"id":"1"},{"id":"2"}]}]}]}"#
    )
    guard case .center(let content)? = command else {
      Issue.record("the line was not read")
      return
    }
    #expect(content.title == "T")
    #expect(content.buttons.map(\.title) == ["c"])
    #expect(content.buttons.map(\.confirmation) == [.init(title: "c?", cancel: "no")])
    #expect(content.groups.map(\.app) == ["A"])
    #expect(content.groups.first?.threads.first?.items.map(\.id) == ["1", "2"])
  }

  @Test(arguments: [
    "", "{}", "[1]", #"{"do":"show"}"#, #"{"do":"show","window":""}"#, #"{"do":"close"}"#,
    #"{"do":"dance","window":"w"}"#, #"{"do":"close","window":1}"#,
  ])
  func `anything else is no command`(line: String) {
    #expect(command(line) == nil)
  }

  @Test func `a report names the window, the button and what was typed`() {
    #expect(
      WindowReport.pressed(window: "w", button: "b", text: "a\n\"").line
        == #"{"event":"pressed","window":"w","button":"b","text":"a\n\""}"#)
    #expect(
      WindowReport.pressed(window: "w", button: "b", text: nil).line
        == #"{"event":"pressed","window":"w","button":"b"}"#)
    #expect(
      WindowReport.pressedInCenter(app: "a", item: "1", button: "b", text: nil).line
        == #"{"event":"pressed","window":"center","button":"b","app":"a","item":"1"}"#)
    #expect(WindowReport.shown(window: "w").line == #"{"event":"shown","window":"w"}"#)
    #expect(WindowReport.closed(window: "w").line == #"{"event":"closed","window":"w"}"#)
  }
}
