/// The background modes in an app's manifest (`UIBackgroundModes`).
public enum BackgroundModes {
  /// Returns true if an app with these modes can run in the background for an unlimited time.
  ///
  /// Such apps play audio, track the location, or wait for calls (S3-33).
  public static func giveUnlimitedTime(_ modes: some Sequence<String>) -> Bool {
    modes.contains { ["audio", "location", "voip"].contains($0) }
  }
}
