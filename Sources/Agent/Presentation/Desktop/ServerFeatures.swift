/// The features of a notification server, derived from the capabilities that it reports and from observation
/// (linux-parts 1).
package struct ServerFeatures: Hashable {
  /// The number of a notification's buttons that the user can press.
  enum Buttons: Hashable {
    case none
    /// Any number, in a menu that users must already know about.
    case menu
    case upTo(Int)
    case all
  }

  /// The way that the agent adds a notification to the server's own list without a banner.
  enum QuietDelivery: Hashable {
    /// The server has no list, or adds a notification to its list only after a banner.
    case none
    /// A notification with low urgency is shown only in the list.
    case lowUrgency
    /// A notification that is closed immediately is not drawn, and is added to the history.
    case closedIntoHistory
  }

  let buttons: Buttons
  let quietDelivery: QuietDelivery
  /// True if the server draws the app's name next to the summary.
  let showsAppName: Bool
  let hasMarkup: Bool
  let hasBody: Bool
  /// True if the server has a text field (KDE's `inline-reply`).
  let hasInlineReply: Bool
  /// True if only critical urgency keeps a notification on screen with its buttons drawn.
  ///
  /// Critical urgency also overrides the server's do-not-disturb mode.
  let staysByUrgency: Bool
  /// True if the server's list treats `resident` notifications differently: after the banner has disappeared, only they
  /// keep their buttons, and the sender can close only them.
  let listsResidentOnly: Bool
  /// True if the server moves banners to a list without reporting the move to the sender.
  let keepsList: Bool
  /// True if the server is known to report a dismissal as a dismissal.
  ///
  /// Other servers, such as MATE's, report a click on their close button as an expiry.
  let reportsDismissals: Bool
  /// True if the server finds icons by name, and draws an icon that is also in its header only once.
  let findsIcons: Bool

  /// Creates the features of a server from its name, version, and capabilities.
  package init(name: String = "", version: String = "", names: Set<String> = []) {
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
    reportsDismissals = server.reportsDismissals
    findsIcons = server.findsIcons
  }

  /// Observed features of known servers.
  ///
  /// Any other server is assumed to draw all buttons but no name.
  private struct Known {
    var buttons = Buttons.all
    var quietDelivery = QuietDelivery.none
    var showsAppName = false
    var staysByUrgency = false
    var listsResidentOnly = false
    var keepsList = false
    var reportsDismissals = true
    var findsIcons = false

    init(_ name: String, _ version: String) {
      let major = Int(version.prefix { $0.isASCII && $0.isWholeNumber }) ?? 0
      switch name {
      case "gnome-shell":
        buttons = .upTo(3)
        // Since version 41, notifications with low urgency go only to the list; version 46 added the header with the
        // name.
        quietDelivery = major >= 41 ? .lowUrgency : .none
        showsAppName = major >= 46
        // After four seconds, a notification without critical urgency moves to a list without buttons.
        staysByUrgency = true
        keepsList = true
      case "dunst":
        // Buttons are lines of a menu program; a closed notification is added to the history.
        buttons = .menu
        quietDelivery = .closedIntoHistory
      case "mako": buttons = .menu
      case "plasma":
        showsAppName = true
        listsResidentOnly = true
        keepsList = true
        findsIcons = true
      default: reportsDismissals = false
      }
    }
  }
}

/// The places where the user finds a notification's buttons: on the server, and in a window of `belfry-center`.
struct ButtonPlacement: Hashable {
  /// The buttons that are passed to the server, in order.
  var withServer: [Presentation.Action]
  /// True if an additional button of the server opens the window, which shows all buttons.
  var hasMore = false
  /// True if the window opens automatically.
  var opensWindow = false

  /// Creates the placement for a notification; `hasWindow` is true if `belfry-center` can show a window.
  init(_ presentation: Presentation, _ server: ServerFeatures, hasWindow: Bool) {
    let all = presentation.actions
    // A banner has a minimal interface; an alert has more room (S1-21, S1-27).
    let wanted =
      presentation.isPersistent ? presentation.alertActions : presentation.minimalActions
    // A server cannot show content that the app draws. For an alert, the window opens immediately. A banner has a
    // button that opens the window.
    let isDrawn = hasWindow && presentation.isDrawnByApp
    let hasDrawnBanner = isDrawn && !presentation.isPersistent
    switch server.buttons {
    case .none:
      withServer = []
      opensWindow = hasWindow && (presentation.isPersistent || !all.isEmpty || isDrawn)
    case .menu:
      withServer = wanted
      // An alert requests an answer, but only users who know about the menu find its buttons.
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
    assert(
      hasWindow || !hasMore && !opensWindow, "only a notification with a window opens or offers one"
    )
    assert(!hasMore || !opensWindow, "a window that opens by itself needs no button")
  }

  /// Returns true if the user needs a window to use all of a notification's actions, because the server does not show
  /// every button or has no text field.
  static func needsWindow(_ presentation: Presentation, _ server: ServerFeatures) -> Bool {
    let placement = ButtonPlacement(presentation, server, hasWindow: true)
    return placement.hasMore || placement.opensWindow
      || !server.hasInlineReply && presentation.actions.contains { $0.textInput != nil }
  }

  private static func lacks(
    _ some: [Presentation.Action], of all: [Presentation.Action]
  ) -> Bool {
    all.contains { action in !some.contains { $0.id == action.id } }
  }

  /// Returns true if a question opens a window automatically: if the server draws no buttons, or if no server is
  /// running.
  static func opensWindow(forQuestionsOn server: ServerFeatures?) -> Bool {
    switch server?.buttons {
    case nil, .some(.none), .menu: true
    case .upTo, .all: false
    }
  }
}
