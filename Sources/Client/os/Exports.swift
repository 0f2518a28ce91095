@_exported public import Foundation

#if canImport(FoundationNetworking)
  // On Apple's systems, URL loading is part of Foundation; files that import only this module rely on it.
  @_exported public import FoundationNetworking
#endif
