public import Foundation

/// A generator of haptic feedback.
///
/// This system has no haptic hardware, so generators have no effect.
@preconcurrency @MainActor
open class UIFeedbackGenerator: NSObject {
  /// Has no effect on this system.
  open func prepare() {}
}

/// A generator of haptic feedback for an impact; it has no effect on this system.
@preconcurrency @MainActor
open class UIImpactFeedbackGenerator: UIFeedbackGenerator {
  /// The strengths of an impact.
  public enum FeedbackStyle: Int, Sendable {
    /// An impact between light objects.
    case light = 0
    /// An impact between medium objects.
    case medium = 1
    /// An impact between heavy objects.
    case heavy = 2
    /// An impact between soft objects.
    case soft = 3
    /// An impact between rigid objects.
    case rigid = 4
  }

  /// Creates a generator for an impact of the given style.
  public init(style: FeedbackStyle) { super.init() }

  /// Creates a generator for a medium impact.
  public convenience override init() { self.init(style: .medium) }

  /// Has no effect on this system.
  open func impactOccurred() {}

  /// Has no effect on this system.
  open func impactOccurred(intensity: CGFloat) {}
}

/// A generator of haptic feedback for success or failure; it has no effect on this system.
@preconcurrency @MainActor
open class UINotificationFeedbackGenerator: UIFeedbackGenerator {
  /// The types of outcomes.
  public enum FeedbackType: Int, Sendable {
    /// A task completed successfully.
    case success = 0
    /// A task produced a warning.
    case warning = 1
    /// A task failed with an error.
    case error = 2
  }

  /// Has no effect on this system.
  open func notificationOccurred(_ notificationType: FeedbackType) {}
}

/// A generator of haptic feedback for a change of selection; it has no effect on this system.
@preconcurrency @MainActor
open class UISelectionFeedbackGenerator: UIFeedbackGenerator {
  /// Has no effect on this system.
  open func selectionChanged() {}
}
