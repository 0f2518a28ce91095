/// What a notification server can show, by what it says of itself and by what was seen of it
/// (linux-parts 1).
struct ServerFeatures: Hashable {
  /// How many buttons of a notification a person can press.
  enum Buttons: Hashable {
    case none
    /// Any number, in a menu that a person has to know of.
    case menu
    case upTo(Int)
    case all
  }

  /// How a notification gets into the server's own list without a banner.
  enum QuietDelivery: Hashable {
    /// It has no list, or none without a banner first.
    case none
    /// What has low urgency stands in the list alone.
    case lowUrgency
    /// What is closed at once is not drawn, and stands in the history.
    case closedIntoHistory
  }

  let buttons: Buttons
  let quietDelivery: QuietDelivery
  /// Whether it draws the app's name beside the summary.
  let showsAppName: Bool
  let hasMarkup: Bool
  let hasBody: Bool
  /// Whether it has a field for a text (KDE's `inline-reply`).
  let hasInlineReply: Bool
  /// Whether only critical urgency keeps a notification on the screen, with its buttons drawn; that
  /// passes the server's do-not-disturb, too.
  let staysByUrgency: Bool
  /// Whether its list keeps the buttons of what is `resident` alone, and lets the sender close that
  /// alone, once the banner is gone.
  let listsResidentOnly: Bool
  /// Whether it moves banners to a list, and reports none of that to the sender.
  let keepsList: Bool
  /// Whether it finds icons by their names, and draws one that its header has once.
  let findsIcons: Bool

  /// A server by the name and version that it gives, and the capabilities that it lists.
  init(name: String = "", version: String = "", names: Set<String> = []) {
    let server = Known(name.lowercased(), version)
    buttons = names.contains("actions") ? server.buttons : .none
    quietDelivery = server.quietDelivery
    showsAppName = server.showsAppName
    hasMarkup = names.contains("body-markup")
    hasBody = names.contains("body") || names.isEmpty
    hasInlineReply = names.contains("inline-reply")
    staysByUrgency = server.staysByUrgency
    listsResidentOnly = server.listsResidentOnly
    keepsList = server.keepsList
    findsIcons = server.findsIcons
  }

  /// What was seen of the servers that there are; any other draws all buttons and no name.
  private struct Known {
    var buttons = Buttons.all
    var quietDelivery = QuietDelivery.none
    var showsAppName = false
    var staysByUrgency = false
    var listsResidentOnly = false
    var keepsList = false
    var findsIcons = false

    init(_ name: String, _ version: String) {
      let major = Int(version.prefix { $0.isASCII && $0.isWholeNumber }) ?? 0
      switch name {
      case "gnome-shell":
        buttons = .upTo(3)
        // Low urgency goes to the list alone since 41; the header with the name came with 46.
        quietDelivery = major >= 41 ? .lowUrgency : .none
        showsAppName = major >= 46
        // Anything else goes after four seconds, into a list without buttons.
        staysByUrgency = true
        keepsList = true
      case "dunst":
        // Buttons are lines of a menu program; a closed notification goes into the history.
        buttons = .menu
        quietDelivery = .closedIntoHistory
      case "mako": buttons = .menu
      case "plasma":
        showsAppName = true
        listsResidentOnly = true
        keepsList = true
        findsIcons = true
      default: break
      }
    }
  }
}

/// Where a person reaches a notification's buttons: with the server, and in a window of
/// `belfry-center`.
struct ButtonPlacement: Hashable {
  /// The buttons that the server is given, in order.
  var withServer: [Presentation.Action]
  /// Whether a further button of the server opens the window, which has all of them.
  var hasMore = false
  /// Whether the window opens by itself.
  var opensWindow = false

  /// Decides for a notification; `hasWindow` is whether `belfry-center` can show one.
  init(_ presentation: Presentation, _ server: ServerFeatures, hasWindow: Bool) {
    let all = presentation.actions
    // A banner is a minimal interface, an alert has room (S1-21, S1-27).
    let wanted =
      presentation.isPersistent ? presentation.alertActions : presentation.minimalActions
    // What the app shows itself, a server cannot: an alert has it at once, a banner leads to it.
    let isDrawn = hasWindow && presentation.isDrawnByApp
    let hasDrawnBanner = isDrawn && !presentation.isPersistent
    switch server.buttons {
    case .none:
      withServer = []
      opensWindow = hasWindow && (presentation.isPersistent || !all.isEmpty || isDrawn)
    case .menu:
      withServer = wanted
      // An alert asks for an answer; a menu is found by those alone who know of it.
      opensWindow = hasWindow && presentation.isPersistent
      hasMore = hasWindow && !opensWindow && (hasDrawnBanner || Self.lacks(wanted, of: all))
    case .upTo(let count):
      withServer = wanted
      opensWindow = isDrawn && presentation.isPersistent
      hasMore =
        hasWindow && !opensWindow
        && (hasDrawnBanner || wanted.count > count || Self.lacks(wanted, of: all))
      let room = hasMore ? count - 1 : count
      withServer = Array(wanted.prefix(max(0, room)))
    case .all:
      withServer = wanted
      opensWindow = isDrawn && presentation.isPersistent
      hasMore = hasWindow && !opensWindow && (hasDrawnBanner || Self.lacks(wanted, of: all))
    }
    assert(hasWindow || !hasMore && !opensWindow, "without a window nothing leads to one")
    assert(!hasMore || !opensWindow, "a window that is open needs no button")
  }

  private static func lacks(
    _ some: [Presentation.Action], of all: [Presentation.Action]
  ) -> Bool {
    all.contains { action in !some.contains { $0.id == action.id } }
  }

  /// Whether a question opens a window by itself: where a server draws no buttons, and where none is.
  static func opensWindow(forQuestionsOn server: ServerFeatures?) -> Bool {
    switch server?.buttons {
    case nil, .some(.none), .menu: true
    case .upTo, .all: false
    }
  }
}
