@_exported public import Foundation

#if canImport(FoundationNetworking)
  // On Apple's systems URL loading is part of Foundation.
  @_exported public import FoundationNetworking
#endif
