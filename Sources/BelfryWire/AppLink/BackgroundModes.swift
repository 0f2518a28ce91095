/// The background modes of a manifest (`UIBackgroundModes`).
public enum BackgroundModes {
  /// Returns whether an app with these modes has unlimited time in the background.
  ///
  /// It plays audio, tracks the location or waits for calls (S3-33).
  public static func giveUnlimitedTime(_ modes: some Sequence<String>) -> Bool {
    modes.contains { ["audio", "location", "voip"].contains($0) }
  }
}
