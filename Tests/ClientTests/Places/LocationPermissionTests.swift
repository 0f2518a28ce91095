import Testing

@testable import CoreLocation

struct LocationPermissionTests {
  private var permission = LocationPermission()
  private var told: CLAuthorizationStatus?

  @Test
  mutating func
    `an answer that a change overtook is ignored, and the change is reported once`()
  {
    let asked = permission.question
    permission.change(to: .authorizedWhenInUse)
    #expect(permission.unreportedStatus(after: &told) == .authorizedWhenInUse)
    permission.handleAnswer(.notDetermined, askedAt: asked)
    #expect(permission.unreportedStatus(after: &told) == nil)
    permission.change(to: .authorizedWhenInUse)
    #expect(permission.unreportedStatus(after: &told) == nil)
    #expect(permission.known == .authorizedWhenInUse)
  }

  @Test
  mutating func `each answer reports the current status, even if nothing was decided yet`() {
    permission.handleAnswer(.notDetermined, askedAt: permission.question)
    #expect(permission.unreportedStatus(after: &told) == .notDetermined)
    permission.change(to: .denied)
    #expect(permission.unreportedStatus(after: &told) == .denied)
    permission.handleAnswer(.authorizedAlways, askedAt: permission.question)
    #expect(permission.unreportedStatus(after: &told) == .authorizedAlways)
  }

  @Test
  mutating func `an agent that cannot be reached leaves it undecided`() {
    #expect(permission.known == nil)
    #expect(permission.unreportedStatus(after: &told) == .notDetermined)
  }
}
