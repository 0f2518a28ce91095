/// What an app asks of the agent.
///
/// Each is answered by one `AppAnswer` or one `AppLinkFailure`.
public enum AppRequest: Sendable, Hashable {
  /// Answered by a welcome.
  case hello(AppHello)
  /// Answered by settings and `granted`, after the person decided.
  case requestAuthorization(Set<AuthorizationOption>)
  /// Answered by settings.
  case settings
  /// Answered at once; the token comes as an event, now and whenever it changes.
  case register(TokenKind)
  case unregister(TokenKind)
  /// Replaces all categories.
  case setCategories([NotificationCategory])
  /// Answered by categories.
  case categories
  case add(NotificationRequest)
  /// Answered by pending requests.
  case pending
  /// nil is all.
  case removePending([String]?)
  /// Answered by delivered notifications, oldest first.
  case delivered
  /// nil is all.
  case removeDelivered([String]?)
  case setBadge(Int64)
  /// Answered by the badge.
  case badge
  case setState(AppState)
  case setLanguages([String]?)
  /// Answered by `seconds` until background time ends and by a `task`.
  case beginBackgroundTask(name: String?)
  case endBackgroundTask(Int64)
  /// Answered by `seconds`.
  case backgroundTime
  /// Answered by `locationStatus`, after the person decided.
  case requestLocation(always: Bool)
  /// Answered by `locationStatus`.
  case locationStatus
  /// Watches a region (`CLLocationManager`, not a notification's trigger); the same id replaces.
  case watchRegion(NotificationRegion)
  case unwatchRegion(String)
  /// Answered by regions.
  case watchedRegions
  /// Answered by `regionState`.
  case regionState(String)
  /// Reports where the device is until told to stop; `place` events follow.
  case setLocationUpdates(Bool)
  /// What a person or a command does to the device; only on a control connection.
  case control(ControlRequest)

  /// Reads a request by its type.
  public init(type: String, _ frame: AppFrame) throws(AppLinkDecodingFailure) {
    let fields = AppLinkFields(frame.object, frame.attached)
    switch type {
    case "hello": self = .hello(try AppHello(fields))
    case "authorize":
      self = .requestAuthorization(
        Set(try fields.strings("options").compactMap(AuthorizationOption.init(rawValue:))))
    case "settings": self = .settings
    case "register": self = .register(try fields.optionalKind("kind") ?? .alert)
    case "unregister": self = .unregister(try fields.optionalKind("kind") ?? .alert)
    case "setCategories":
      let categories = try fields.list("categories", NotificationCategory.init)
      guard categories.count <= WireLimits.categoriesPerAppMax else {
        throw .unexpected(field: "categories")
      }
      self = .setCategories(categories)
    case "categories": self = .categories
    case "add": self = .add(try NotificationRequest(fields.fields("request")))
    case "pending": self = .pending
    case "removePending": self = .removePending(try fields.optionalStrings("ids"))
    case "delivered": self = .delivered
    case "removeDelivered": self = .removeDelivered(try fields.optionalStrings("ids"))
    case "setBadge": self = .setBadge(try fields.integer("badge"))
    case "badge": self = .badge
    case "state": self = .setState(try fields.word("state"))
    case "languages": self = .setLanguages(try fields.optionalStrings("languages"))
    case "beginTask": self = .beginBackgroundTask(name: try fields.optionalString("name"))
    case "endTask": self = .endBackgroundTask(try fields.integer("task"))
    case "backgroundTime": self = .backgroundTime
    case "requestLocation": self = .requestLocation(always: try fields.bool("always"))
    case "locationStatus": self = .locationStatus
    case "watchRegion": self = .watchRegion(try NotificationRegion(fields.fields("region")))
    case "unwatchRegion": self = .unwatchRegion(try fields.string("id"))
    case "regions": self = .watchedRegions
    case "regionState": self = .regionState(try fields.string("id"))
    case "locationUpdates": self = .setLocationUpdates(try fields.bool("on"))
    default:
      guard let control = try ControlRequest(type: type, fields) else { throw .unknownType(type) }
      self = .control(control)
    }
  }

  /// The frame of this request, still without a number.
  public var frame: AppFrame {
    var builder = AppLinkBuilder()
    switch self {
    case .hello(let hello):
      builder.set("type", "hello")
      hello.write(&builder)
    case .requestAuthorization(let options):
      builder.set("type", "authorize")
      builder.set(
        "options", AuthorizationOption.allCases.filter(options.contains).map(\.rawValue))
    case .settings: builder.set("type", "settings")
    case .register(let kind):
      builder.set("type", "register")
      builder.set("kind", "\(kind.name)")
    case .unregister(let kind):
      builder.set("type", "unregister")
      builder.set("kind", "\(kind.name)")
    case .setCategories(let categories):
      builder.set("type", "setCategories")
      builder.set("categories", list: categories) { $0.write(&$1) }
    case .categories: builder.set("type", "categories")
    case .add(let request):
      builder.set("type", "add")
      builder.set("request", request) { $0.write(&$1) }
    case .pending: builder.set("type", "pending")
    case .removePending(let ids):
      builder.set("type", "removePending")
      builder.set("ids", ids)
    case .delivered: builder.set("type", "delivered")
    case .removeDelivered(let ids):
      builder.set("type", "removeDelivered")
      builder.set("ids", ids)
    case .setBadge(let badge):
      builder.set("type", "setBadge")
      builder.set("badge", badge)
    case .badge: builder.set("type", "badge")
    case .setState(let state):
      builder.set("type", "state")
      builder.set("state", state.rawValue)
    case .setLanguages(let languages):
      builder.set("type", "languages")
      builder.set("languages", languages)
    case .beginBackgroundTask(let name):
      builder.set("type", "beginTask")
      builder.set("name", name)
    case .endBackgroundTask(let task):
      builder.set("type", "endTask")
      builder.set("task", task)
    case .backgroundTime: builder.set("type", "backgroundTime")
    case .requestLocation(let always):
      builder.set("type", "requestLocation")
      builder.set("always", always)
    case .locationStatus: builder.set("type", "locationStatus")
    case .watchRegion(let region):
      builder.set("type", "watchRegion")
      builder.set("region", region) { $0.write(&$1) }
    case .unwatchRegion(let id):
      builder.set("type", "unwatchRegion")
      builder.set("id", id)
    case .watchedRegions: builder.set("type", "regions")
    case .regionState(let id):
      builder.set("type", "regionState")
      builder.set("id", id)
    case .setLocationUpdates(let on):
      builder.set("type", "locationUpdates")
      builder.set("on", on)
    case .control(let control): control.write(&builder)
    }
    return builder.frame
  }
}
