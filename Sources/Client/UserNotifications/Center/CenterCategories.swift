import AppWire
import Foundation

extension UNUserNotificationCenter {
  /// Sets the app's categories, replacing all existing ones.
  public func setNotificationCategories(_ categories: Set<UNNotificationCategory>) {
    let wire = categories.map(\.wire).sorted { $0.id < $1.id }
    perform(.setCategories(wire)) { error in
      guard let error else { return }
      FileHandle.standardError.write(
        Data("the notification categories are not registered: \(error.localizedDescription)\n".utf8)
      )
    }
  }

  /// Gets the app's categories.
  ///
  /// The completion handler receives an empty set if the agent cannot be reached.
  @preconcurrency
  public func getNotificationCategories(
    completionHandler: @escaping @Sendable (Set<UNNotificationCategory>) -> Void
  ) {
    ask(
      .categories, otherwise: [],
      { Set(try $0.categories().map { UNNotificationCategory($0) }) },
      completionHandler: completionHandler)
  }

  /// Returns the app's categories, or an empty set if the agent cannot be reached.
  public func notificationCategories() async -> Set<UNNotificationCategory> {
    await withCheckedContinuation { continuation in
      getNotificationCategories { continuation.resume(returning: $0) }
    }
  }
}
