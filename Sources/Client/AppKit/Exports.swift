@_exported public import CoreLocation
@_exported public import Foundation
@_exported public import UserNotifications

#if canImport(FoundationNetworking)
  // On Apple's systems URL loading is part of Foundation.
  @_exported public import FoundationNetworking
#endif
