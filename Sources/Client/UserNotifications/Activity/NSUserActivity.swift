public import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The type of an activity that represents a web page.
public let NSUserActivityTypeBrowsingWeb: String = "NSUserActivityTypeBrowsingWeb"

/// Something that the user does in the app, such as viewing a web page.
///
/// On Apple's systems, this class is part of Foundation, and the user can continue an activity on another device.
/// Foundation on Linux lacks the class, and this system does not transfer activities between devices.
open class NSUserActivity: NSObject, @unchecked Sendable {
  // Sendable: As with Apple's class, each object is used by only one owner at a time.

  /// The type of the activity, for example, `NSUserActivityTypeBrowsingWeb`.
  public let activityType: String

  /// The title of the activity.
  open var title: String?

  /// The app's custom data.
  open var userInfo: [AnyHashable: Any]?

  /// The keys of `userInfo` that are required to continue the activity.
  open var requiredUserInfoKeys: Set<String>?

  /// A Boolean value that indicates whether `userInfo` has changed and must be saved.
  open var needsSave = false

  /// The URL of the web page to open for the activity.
  open var webpageURL: URL?

  /// The URL of the page that led to the activity.
  open var referrerURL: URL?

  /// The date after which the activity is no longer useful.
  open var expirationDate: Date?

  /// The keywords for finding the activity in a search.
  open var keywords: Set<String> = []

  /// A Boolean value that indicates whether the user can continue the activity on another device.
  ///
  /// The value is stored, but has no effect.
  open var isEligibleForHandoff = true

  /// A Boolean value that indicates whether a search can find the activity.
  ///
  /// The value is stored, but has no effect.
  open var isEligibleForSearch = false

  /// A Boolean value that indicates whether a public search can find the activity.
  ///
  /// The value is stored, but has no effect.
  open var isEligibleForPublicIndexing = false

  /// A Boolean value that indicates whether the system can suggest the activity.
  ///
  /// The value is stored, but has no effect.
  open var isEligibleForPrediction = false

  /// The app's own identifier for the activity.
  open var persistentIdentifier: String?

  /// An identifier for the part of the app that continues the activity.
  open var targetContentIdentifier: String?

  /// The object that the `Intents` module attaches to the activity.
  package var attachedInteraction: AnyObject?

  /// Creates an activity of the given type.
  public init(activityType: String) {
    self.activityType = activityType
    super.init()
  }

  /// Adds entries to `userInfo`; a new value replaces an existing value for the same key.
  open func addUserInfoEntries(from otherDictionary: [AnyHashable: Any]) {
    userInfo = (userInfo ?? [:]).merging(otherDictionary) { $1 }
  }

  /// Makes this activity the user's current activity; has no effect on this system.
  open func becomeCurrent() {}

  /// Stops this activity from being the user's current activity; has no effect on this system.
  open func resignCurrent() {}

  /// Invalidates the activity; has no effect on this system.
  open func invalidate() {}
}
