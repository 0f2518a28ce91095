@_exported public import CoreLocation
