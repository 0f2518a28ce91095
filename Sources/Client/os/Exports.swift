@_exported public import Foundation

#if canImport(FoundationNetworking)
  // On Apple's systems URL loading is part of Foundation; files that import this module alone count on it.
  @_exported public import FoundationNetworking
#endif
