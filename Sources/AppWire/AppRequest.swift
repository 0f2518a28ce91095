public import BelfryWire

/// A request from an app to the agent, which answers with one `AppAnswer` or one `AppLinkFailure`.
public enum AppRequest: Sendable, Hashable {
  /// Introduces the app; answered by a welcome.
  case hello(AppHello)
  /// Requests permission for notifications; answered by settings and `granted` after the user has decided.
  ///
  /// If `replacesTypes` is true, the set replaces all types that the app registered earlier, and can be empty (S4-5).
  /// Otherwise, the set is added to the types that the app requested earlier.
  case requestAuthorization(Set<AuthorizationOption>, replacesTypes: Bool = false)
  /// Reads the app's notification settings; answered by settings.
  case settings
  /// Registers for pushes of a kind; answered immediately.
  ///
  /// The token arrives as an event, now and whenever it changes.
  case register(TokenKind)
  case unregister(TokenKind)
  /// Replaces all of the app's categories.
  case setCategories([NotificationCategory])
  /// Reads the app's categories; answered by categories.
  case categories
  case add(NotificationRequest)
  /// Reads the pending requests; answered by pending requests.
  case pending
  /// Removes the pending requests with these IDs; nil removes all.
  case removePending([String]?)
  /// Reads the delivered notifications; answered by delivered notifications, oldest first.
  case delivered
  /// Removes the delivered notifications with these IDs; nil removes all.
  case removeDelivered([String]?)
  case setBadge(Int64)
  /// Reads the badge; answered by the badge.
  case badge
  case setState(AppState)
  case setLanguages([String]?)
  /// Begins a background task; answered by `task` and by `seconds`, the background time that remains.
  case beginBackgroundTask(name: String?)
  case endBackgroundTask(Int64)
  /// Reads the remaining background time; answered by `seconds`.
  case backgroundTime
  /// Requests a launch for a background task.
  ///
  /// A later request with the same ID replaces this request.
  case submitTask(BackgroundTaskRequest)
  /// Cancels the tasks with these IDs; nil cancels all.
  case cancelTasks([String]?)
  /// Reads the background task requests; answered by task requests.
  case pendingTasks
  /// Requests access to location; answered by `locationStatus` after the user has decided.
  case requestLocation(always: Bool)
  /// Reads the decision about location access; answered by `locationStatus`.
  case locationStatus
  /// Watches a region (`CLLocationManager`, not a notification's trigger).
  ///
  /// The region replaces a watched region with the same ID.
  case watchRegion(NotificationRegion)
  case unwatchRegion(String)
  /// Reads the watched regions; answered by regions.
  case watchedRegions
  /// Reads the device's state relative to a region; answered by `regionState`.
  case regionState(String)
  /// Starts or stops location updates, which arrive as `place` events.
  case setLocationUpdates(Bool)
  /// Sets the view that a content extension displays for its notification.
  case setDrawing(NotificationDrawing)
  /// Performs an action that a content extension itself requests.
  case contentWish(ContentExtensionWish)
  /// Sends a request about the device, which is allowed only on a control connection.
  case control(ControlRequest)

  /// Parses a request of the given type.
  public init(type: String, _ frame: AppFrame) throws(AppLinkDecodingFailure) {
    let fields = AppLinkFields(frame.object, frame.attached)
    guard type.isASCII else { throw .unknownType(type) }
    switch type {
    case "hello": self = .hello(try AppHello(fields))
    case "authorize":
      self = .requestAuthorization(
        Set(try fields.strings("options").compactMap(AuthorizationOption.init(word:))),
        replacesTypes: try fields.bool("replace"))
    case "settings": self = .settings
    case "register": self = .register(try fields.optionalKind("kind") ?? .alert)
    case "unregister": self = .unregister(try fields.optionalKind("kind") ?? .alert)
    case "setCategories":
      // Only the size of the frame limits the number of categories (S1-31).
      self = .setCategories(try fields.list("categories", NotificationCategory.init))
    case "categories": self = .categories
    case "add": self = .add(try NotificationRequest(fields.fields("request")))
    case "pending": self = .pending
    case "removePending": self = .removePending(try fields.optionalStrings("ids"))
    case "delivered": self = .delivered
    case "removeDelivered": self = .removeDelivered(try fields.optionalStrings("ids"))
    case "setBadge": self = .setBadge(try fields.integer("badge"))
    case "badge": self = .badge
    case "state": self = .setState(try fields.word("state"))
    case "languages": self = .setLanguages(try fields.optionalLanguages("languages"))
    case "beginTask": self = .beginBackgroundTask(name: try fields.optionalString("name"))
    case "endTask": self = .endBackgroundTask(try fields.integer("task"))
    case "backgroundTime": self = .backgroundTime
    case "submitTask": self = .submitTask(try BackgroundTaskRequest(fields.fields("task")))
    case "cancelTasks": self = .cancelTasks(try fields.optionalStrings("ids"))
    case "pendingTasks": self = .pendingTasks
    case "requestLocation": self = .requestLocation(always: try fields.bool("always"))
    case "locationStatus": self = .locationStatus
    case "watchRegion": self = .watchRegion(try NotificationRegion(fields.fields("region")))
    case "unwatchRegion": self = .unwatchRegion(try fields.string("id"))
    case "regions": self = .watchedRegions
    case "regionState": self = .regionState(try fields.string("id"))
    case "locationUpdates": self = .setLocationUpdates(try fields.bool("on"))
    case "drawing": self = .setDrawing(try NotificationDrawing(fields.fields("drawing")))
    case "contentWish": self = .contentWish(try fields.word("wish"))
    default:
      guard let control = try ControlRequest(type: type, fields) else { throw .unknownType(type) }
      self = .control(control)
    }
  }

  /// The frame of this request, without a number; the sender adds one if it expects an answer.
  public var frame: AppFrame {
    var builder = AppLinkBuilder()
    if let typeName { builder.set("type", typeName) }
    writeFields(&builder)
    return builder.frame
  }

  /// The name of the request's type; nil for a control request, which writes its own type.
  private var typeName: String? {
    switch self {
    case .hello: "hello"
    case .requestAuthorization: "authorize"
    case .settings: "settings"
    case .register: "register"
    case .unregister: "unregister"
    case .setCategories: "setCategories"
    case .categories: "categories"
    case .add: "add"
    case .pending: "pending"
    case .removePending: "removePending"
    case .delivered: "delivered"
    case .removeDelivered: "removeDelivered"
    case .setBadge: "setBadge"
    case .badge: "badge"
    case .setState: "state"
    case .setLanguages: "languages"
    case .beginBackgroundTask: "beginTask"
    case .endBackgroundTask: "endTask"
    case .backgroundTime: "backgroundTime"
    case .submitTask: "submitTask"
    case .cancelTasks: "cancelTasks"
    case .pendingTasks: "pendingTasks"
    case .requestLocation: "requestLocation"
    case .locationStatus: "locationStatus"
    case .watchRegion: "watchRegion"
    case .unwatchRegion: "unwatchRegion"
    case .watchedRegions: "regions"
    case .regionState: "regionState"
    case .setLocationUpdates: "locationUpdates"
    case .setDrawing: "drawing"
    case .contentWish: "contentWish"
    case .control: nil
    }
  }

  private func writeFields(_ builder: inout AppLinkBuilder) {
    switch self {
    case .hello(let hello):
      hello.write(&builder)
    case .requestAuthorization(let options, let replacesTypes):
      builder.set(
        "options", AuthorizationOption.allCases.filter(options.contains).map(\.rawValue))
      builder.set("replace", replacesTypes)
    case .register(let kind):
      builder.set("kind", "\(kind.name)")
    case .unregister(let kind):
      builder.set("kind", "\(kind.name)")
    case .setCategories(let categories):
      builder.set("categories", list: categories) { $0.write(&$1) }
    case .add(let request):
      builder.set("request", request) { $0.write(&$1) }
    case .removePending(let ids):
      builder.set("ids", ids)
    case .removeDelivered(let ids):
      builder.set("ids", ids)
    case .setBadge(let badge):
      builder.set("badge", badge)
    case .setState(let state):
      builder.set("state", state.rawValue)
    case .setLanguages(let languages):
      builder.set("languages", languages)
    case .beginBackgroundTask(let name):
      builder.set("name", name)
    case .endBackgroundTask(let task):
      builder.set("task", task)
    case .submitTask(let task):
      builder.set("task", task) { $0.write(&$1) }
    case .cancelTasks(let ids):
      builder.set("ids", ids)
    case .requestLocation(let always):
      builder.set("always", always)
    case .watchRegion(let region):
      builder.set("region", region) { $0.write(&$1) }
    case .unwatchRegion(let id):
      builder.set("id", id)
    case .regionState(let id):
      builder.set("id", id)
    case .setLocationUpdates(let on):
      builder.set("on", on)
    case .setDrawing(let drawing):
      builder.set("drawing", drawing) { $0.write(&$1) }
    case .contentWish(let wish):
      builder.set("wish", wish.rawValue)
    case .control(let control):
      control.write(&builder)
    case .settings, .categories, .pending, .delivered, .badge, .backgroundTime, .pendingTasks,
      .locationStatus, .watchedRegions:
      break
    }
  }
}
