public import BelfryWire

/// A button on a notification.
public struct NotificationAction: Sendable, Hashable {
  /// The options of an action.
  public enum Option: String, Sendable, Hashable, CaseIterable {
    case authenticationRequired, destructive, foreground
  }

  /// The text field of an action.
  public struct TextInput: Sendable, Hashable {
    /// The title of the button that sends the text.
    public var buttonTitle: String
    /// The placeholder that is displayed while the field is empty.
    public var placeholder: String

    /// Creates a text field from its strings.
    public init(buttonTitle: String = "", placeholder: String = "") {
      self.buttonTitle = buttonTitle
      self.placeholder = placeholder
    }
  }

  /// The identifier, which is unique among the app's actions and which a response to the action contains.
  public var id: String
  /// The title of the button.
  public var title: NotificationText
  /// The options of the action.
  public var options: Set<Option>
  /// The name of a template or system image, which the agent only stores: `template:…` or `system:…`.
  public var icon: String?
  /// The text field, if the user can enter text.
  public var textInput: TextInput?

  /// Creates an action from its properties.
  public init(
    id: String, title: NotificationText, options: Set<Option> = [], icon: String? = nil,
    textInput: TextInput? = nil
  ) {
    self.id = id
    self.title = title
    self.options = options
    self.icon = icon
    self.textInput = textInput
  }

  init(_ fields: AppLinkFields) throws(AppLinkDecodingFailure) {
    id = try fields.identifier("id")
    title = try NotificationText(fields["title"], field: "title")
    options = Set(try fields.strings("options").compactMap(Option.init(word:)))
    icon = try fields.optionalString("icon")
    if let input = try fields.optionalFields("textInput") {
      textInput = TextInput(
        buttonTitle: try input.optionalString("button") ?? "",
        placeholder: try input.optionalString("placeholder") ?? "")
    }
  }

  func write(_ builder: inout AppLinkBuilder) {
    builder.set("id", id)
    builder.object["title"] = title.json
    let words = Option.allCases.filter(options.contains).map(\.rawValue)
    builder.set("options", words.isEmpty ? nil : words)
    builder.set("icon", icon)
    builder.set("textInput", textInput) { input, inner in
      inner.set(nonEmpty: "button", input.buttonTitle)
      inner.set(nonEmpty: "placeholder", input.placeholder)
    }
  }
}

/// A category of notifications that an app has registered, with its actions in display order.
public struct NotificationCategory: Sendable, Hashable {
  /// The options of a category; the names are Apple's.
  public enum Option: String, Sendable, Hashable, CaseIterable {
    case customDismissAction, allowInCarPlay, hiddenPreviewsShowTitle, hiddenPreviewsShowSubtitle
    case allowAnnouncement
  }

  /// The identifier, which is unique among the app's categories and which the category's notifications contain.
  public var id: String
  /// The actions to show if there is enough space (S1-27: an alert).
  public var actions: [NotificationAction]
  /// The actions to show if space is limited; nil selects the first two of `actions` (S1-28).
  public var minimalActions: [NotificationAction]?
  /// The options of the category.
  public var options: Set<Option>
  /// The intent identifiers, which the agent only stores.
  public var intents: [String]
  /// The text that replaces the body while previews are hidden; `%u` is the number of notifications in the thread.
  public var hiddenPreviewsPlaceholder: NotificationText
  /// The summary format, which the agent only stores: `%u` is a count, `%@` an argument.
  public var summaryFormat: String

  /// Creates a category from its properties.
  public init(
    id: String, actions: [NotificationAction] = [], minimalActions: [NotificationAction]? = nil,
    options: Set<Option> = [], intents: [String] = [],
    hiddenPreviewsPlaceholder: NotificationText = "", summaryFormat: String = ""
  ) {
    self.id = id
    self.actions = actions
    self.minimalActions = minimalActions
    self.options = options
    self.intents = intents
    self.hiddenPreviewsPlaceholder = hiddenPreviewsPlaceholder
    self.summaryFormat = summaryFormat
  }

  /// Reads a category, as `belfry app run --category FILE` does.
  ///
  /// The `id` of the category and of each action is required.
  public init(json object: JSONObject) throws(AppLinkDecodingFailure) {
    try self.init(AppLinkFields(object, []))
  }

  /// The category in JSON form.
  public var json: JSONObject {
    var builder = AppLinkBuilder()
    write(&builder)
    return builder.object
  }

  init(_ fields: AppLinkFields) throws(AppLinkDecodingFailure) {
    id = try fields.identifier("id")
    actions = try fields.list("actions", NotificationAction.init)
    minimalActions = try fields.optionalList("minimalActions", NotificationAction.init)
    guard actions.count <= WireLimits.actionsPerCategoryMax,
      minimalActions?.count ?? 0 <= WireLimits.actionsPerCategoryMax
    else { throw .unexpected(field: "actions") }
    options = Set(try fields.strings("options").compactMap(Option.init(word:)))
    intents = try fields.strings("intents")
    hiddenPreviewsPlaceholder = try NotificationText(fields["placeholder"], field: "placeholder")
    summaryFormat = try fields.optionalString("summaryFormat") ?? ""
  }

  func write(_ builder: inout AppLinkBuilder) {
    builder.set("id", id)
    builder.set("actions", list: actions) { $0.write(&$1) }
    builder.set("minimalActions", list: minimalActions) { $0.write(&$1) }
    let words = Option.allCases.filter(options.contains).map(\.rawValue)
    builder.set("options", words.isEmpty ? nil : words)
    builder.set("intents", intents.isEmpty ? nil : intents)
    builder.object["placeholder"] = hiddenPreviewsPlaceholder.json
    builder.set(nonEmpty: "summaryFormat", summaryFormat)
  }
}
