public import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The type of an activity that is a page of the web.
public let NSUserActivityTypeBrowsingWeb: String = "NSUserActivityTypeBrowsingWeb"

/// What the user is doing, as a value: part of Foundation on Apple's systems and missing from it
/// here.
///
/// Nothing hands activities from device to device on this system.
open class NSUserActivity: NSObject, @unchecked Sendable {
  // Sendable: like Apple's class, for one owner at a time.

  /// What kind of activity.
  public let activityType: String

  /// What it is called.
  open var title: String?

  /// The app's own data.
  open var userInfo: [AnyHashable: Any]?

  /// The keys of `userInfo` that are needed to go on.
  open var requiredUserInfoKeys: Set<String>?

  /// Whether `userInfo` has changed.
  open var needsSave = false

  /// The web page of the activity.
  open var webpageURL: URL?

  /// The page that led to it.
  open var referrerURL: URL?

  /// When it ends to be of use.
  open var expirationDate: Date?

  /// Words for a search.
  open var keywords: Set<String> = []

  /// Whether it may go on on another device; stored, without effect.
  open var isEligibleForHandoff = true

  /// Whether it may be found; stored, without effect.
  open var isEligibleForSearch = false

  /// Whether others may find it; stored, without effect.
  open var isEligibleForPublicIndexing = false

  /// Whether it may be proposed; stored, without effect.
  open var isEligibleForPrediction = false

  /// Its name among the app's own.
  open var persistentIdentifier: String?

  /// Which part of the app continues it.
  open var targetContentIdentifier: String?

  /// The object that the module `Intents` attaches to the activity.
  package var attachedInteraction: AnyObject?

  /// An activity of a type.
  public init(activityType: String) {
    self.activityType = activityType
    super.init()
  }

  /// Adds to the app's own data.
  open func addUserInfoEntries(from otherDictionary: [AnyHashable: Any]) {
    userInfo = (userInfo ?? [:]).merging(otherDictionary) { $1 }
  }

  /// Makes it what the user does now; nothing on this system asks.
  open func becomeCurrent() {}

  /// Ends being the user's current activity.
  open func resignCurrent() {}

  /// Ends it.
  open func invalidate() {}
}
