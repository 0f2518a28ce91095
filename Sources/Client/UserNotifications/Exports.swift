@_exported public import CoreLocation
@_exported public import Foundation

#if canImport(FoundationNetworking)
  // On Apple's systems URL loading is part of Foundation; service extensions count on it with this
  // import alone.
  @_exported public import FoundationNetworking
#endif
