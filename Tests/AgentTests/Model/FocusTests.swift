import BelfryWire
import Testing

@testable import Agent

/// Tests of how the agent determines the app in the foreground from the windows that a desktop reports.
@Suite struct FocusTests {
  private static let fries: AppID = {
    guard let id = AppID("org.example.fries") else { preconditionFailure("a valid id") }
    return id
  }()

  private static func window(_ process: Int32?, _ names: String...) -> FocusedWindow {
    FocusedWindow(process: process, names: names)
  }

  private func front(_ bench: ModelBench) -> JSONValue? {
    bench.command(.state([:])).answers.first?.rows.first?["front"]
  }

  private static func states(_ effects: [AgentEffect]) -> [String] {
    effects.compactMap {
      guard case .tell(let connection, .state(let state)) = $0 else { return nil }
      return "\(connection.number) \(state)"
    }
  }

  @Test
  func `an app is notified once when its window gains focus and once when it loses focus`() {
    let bench = ModelBench()
    bench.connect(process: ProcessIdentity(pid: 10, uid: 7))
    bench.connect(Self.fries, process: ProcessIdentity(pid: 20, uid: 7))
    bench.handle(.focusedWindowChanged(Self.window(10)))
    #expect(Self.states(bench.take()) == ["1 foreground"])
    #expect(front(bench) == "org.example.burger")
    bench.handle(.focusedWindowChanged(Self.window(10)))
    #expect(Self.states(bench.take()).isEmpty)
    bench.handle(.focusedWindowChanged(Self.window(20)))
    #expect(Self.states(bench.take()) == ["1 background", "2 foreground"])
    bench.handle(.focusedWindowChanged(Self.window(30, "xterm", "XTerm")))
    #expect(Self.states(bench.take()) == ["2 background"])
    #expect(front(bench) == "none")
    bench.handle(.focusedWindowChanged(nil))
    #expect(Self.states(bench.take()).isEmpty)
  }

  @Test
  func `an app whose window was never seen keeps its state, whichever window has focus`() {
    let bench = ModelBench()
    bench.connect(state: .foreground, process: ProcessIdentity(pid: 10, uid: 7))
    bench.handle(.focusedWindowChanged(Self.window(30, "xterm")))
    bench.handle(.focusedWindowChanged(nil))
    #expect(Self.states(bench.take()).isEmpty)
    #expect(bench.command(.apps).answers.first?.rows.first?["state"] == "foreground")
    #expect(front(bench) == .null)
  }

  @Test
  func `a window is an app's by its process, by the id that it names, or by StartupWMClass`() {
    for (window, isBurgers) in [
      (Self.window(10), true), (Self.window(11, "org.example.burger"), true),
      (Self.window(nil, "no id", "BurgerWindow"), true), (Self.window(11, "burger"), false),
      (Self.window(nil), false), (Self.window(-1, ""), false),
    ] {
      let bench = ModelBench()
      bench.connect(process: ProcessIdentity(pid: 10, uid: 7))
      bench.install { $0.windowClass = "BurgerWindow" }
      bench.handle(.focusedWindowChanged(window))
      #expect(Self.states(bench.take()) == (isBurgers ? ["1 foreground"] : []), "\(window)")
    }
  }

  @Test
  func
    `an app that connects after its window got focus is notified; extensions and commands are not`()
  {
    let bench = ModelBench()
    bench.handle(.focusedWindowChanged(Self.window(10, "org.example.burger")))
    #expect(Self.states(bench.take()).isEmpty)
    let (_, effects) = bench.connect(process: ProcessIdentity(pid: 10, uid: 7))
    #expect(Self.states(effects) == ["1 foreground"])
    let (_, others) = bench.connect(
      role: .serviceExtension, process: ProcessIdentity(pid: 10, uid: 7))
    #expect(Self.states(others).isEmpty)
    bench.connect(role: .control, process: ProcessIdentity(pid: 10, uid: 7))
    bench.handle(.focusedWindowChanged(nil))
    #expect(Self.states(bench.take()) == ["1 background"])
  }

  @Test
  func `an app that a command moved to the background is notified when its window has focus again`()
  {
    let bench = ModelBench()
    bench.connect(process: ProcessIdentity(pid: 10, uid: 7))
    bench.handle(.focusedWindowChanged(Self.window(10)))
    #expect(Self.states(bench.take()) == ["1 foreground"])
    #expect(Self.states(bench.command(.state(["front": "none"]))) == ["1 background"])
    bench.handle(.focusedWindowChanged(Self.window(10)))
    #expect(Self.states(bench.take()) == ["1 foreground"])
    #expect(
      Self.states(bench.command(.state(["front": "org.example.burger"])))
        == ["1 foreground"])
    bench.handle(.focusedWindowChanged(nil))
    #expect(Self.states(bench.take()) == ["1 background"])
  }

  @Test
  func `auto discards the app that a command moved to the front, and follows the window again`() {
    let bench = ModelBench()
    bench.connect(process: ProcessIdentity(pid: 10, uid: 7))
    _ = bench.command(.state(["front": "none"]))
    #expect(front(bench) == "none")
    #expect(Self.states(bench.command(.state(["front": "auto"]))).isEmpty)
    #expect(front(bench) == .null)
    bench.handle(.focusedWindowChanged(Self.window(10)))
    #expect(Self.states(bench.take()) == ["1 foreground"])
    #expect(Self.states(bench.command(.state(["front": "none"]))) == ["1 background"])
    #expect(Self.states(bench.command(.state(["front": "auto"]))) == ["1 foreground"])
    #expect(front(bench) == "org.example.burger")
  }

  /// A desktop can prevent a window that requests activation from moving to the foreground.
  @Test
  func `an app that a tap brings to the front leaves it with the next window, raised or not`() {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.handle(.focusedWindowChanged(Self.window(nil, "org.example.burger")))
    bench.handle(.focusedWindowChanged(Self.window(30, "xterm")))
    bench.ask(connection, .add(ModelBench.request()))
    _ = bench.take()
    bench.respond("n", .open)
    #expect(Self.states(bench.take()) == ["1 foreground"])
    bench.handle(.focusedWindowChanged(nil))
    #expect(Self.states(bench.take()) == ["1 background"])
  }

  @Test
  func `a line of belfry-focus is a window, or none; anything else says nothing`() {
    func read(_ text: String) -> FocusedWindow?? { FocusMonitor.window(in: Array(text.utf8)) }
    #expect(read(#"{"window":null}"#) == .some(nil))
    #expect(
      read(#"{"window":{"process":7,"names":["a","b"]}}"#)
        == FocusedWindow(process: 7, names: ["a", "b"]))
    #expect(
      read(#"{"window":{"process":4294967295,"names":[1]}}"#)
        == FocusedWindow(process: nil, names: []))
    for text in ["", "{", "[]", "{}", #"{"windows":null}"#] { #expect(read(text) == nil) }
  }

  @Test func `a windows name of an installed app is kept`() throws {
    var record = LocalApp(id: ModelBench.burger)
    record.installation = LocalApp.Installation()
    record.installation?.windowClass = "BurgerWindow"
    #expect(try #require(LocalApp(json: record.json)) == record)
  }
}
