/// Every bound of this module, with its unit and its reason.
public enum WireLimits {}
