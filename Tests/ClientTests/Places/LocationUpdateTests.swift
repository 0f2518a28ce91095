import Testing

@testable import CoreLocation

struct LocationUpdateTests {
  @Test(arguments: [CLAuthorizationStatus.denied, .restricted, .notDetermined])
  func `an app that may not use the location gets an update with the reason`(
    status: CLAuthorizationStatus
  ) throws {
    let update = try #require(CLLocationUpdate(nil, status))
    #expect(update.location == nil)
    #expect(update.authorizationDenied == (status != .notDetermined))
    #expect(update.authorizationRequestInProgress == (status == .notDetermined))
  }

  @Test(arguments: [CLAuthorizationStatus.authorizedWhenInUse, .authorizedAlways])
  func `an app that may use the location gets updates only with locations`(
    status: CLAuthorizationStatus
  ) throws {
    #expect(CLLocationUpdate(nil, status) == nil)
    let update = try #require(CLLocationUpdate(CLLocation(latitude: 1, longitude: 2), status))
    #expect(update.location?.coordinate.latitude == 1)
    #expect(!update.authorizationDenied && !update.authorizationRequestInProgress)
  }
}
