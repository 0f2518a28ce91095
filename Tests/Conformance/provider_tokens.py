"""Provider tokens in every form that the vectors require: JWT:KEYID;option=value;…"""
import base64
import hashlib
import hmac
import json
import time

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature


def new_key():
    return ec.generate_private_key(ec.SECP256R1())


def load_key(path):
    with open(path, "rb") as file:
        return serialization.load_pem_private_key(file.read(), None)


class ProviderTokens:
    """A generator of tokens; `keys` maps a vector's key ID to (key ID, team ID, private key)."""

    def __init__(self, keys):
        self.keys = keys
        self.fixed = int(time.time())
        self.made = {}

    def make(self, text, shift=0):
        """Returns the token that `text` describes, `shift` seconds from now. Each call returns the same string, because
        clients reuse their tokens and ECDSA would generate a different one."""
        shift = 0 if "iat=fixed" in text else shift
        if (text, shift) not in self.made:
            self.made[text, shift] = self.sign_again(text, shift)
        return self.made[text, shift]

    def sign_again(self, text, shift):
        name, *options = text.split(";")
        if name in ("UNKNOWNKID", "UNREGISTERED_KEY"):
            _, team, _ = next(iter(self.keys.values()))
            kid, key = "UNKNOWN001", new_key()
        else:
            if name not in self.keys:
                raise KeyError(f"unknown key {name}")
            kid, team, key = self.keys[name]
        header = {"alg": "ES256", "kid": kid}
        claims = {"iss": team, "iat": int(time.time()) + shift}
        signature, standard = "raw64", False
        for option in options:
            field, _, value = option.partition("=")
            if field == "iat":
                claims["iat"] = self.issued(value, shift)
            elif field == "sig":
                signature = value
            elif field == "b64":
                standard = value == "standard_padded"
            elif field in ("claims-", "header-"):
                (claims if field == "claims-" else header).pop(value, None)
            elif field in ("alg", "kid", "typ"):
                header[field] = value
            elif field in ("iss", "exp", "nbf", "aud", "sub"):
                claims[field] = value
            else:
                raise KeyError(f"unknown token option {option}")
        pretty = {"indent": 2} if signature == "pretty" else {"separators": (",", ":")}
        parts = [encode(json.dumps(part, **pretty).encode(), standard) for part in (header, claims)]
        signed = b".".join(parts)
        return b".".join([signed, encode(self.sign(key, signed, signature), standard)]).decode()

    def issued(self, value, shift):
        now = int(time.time()) + shift
        if value == "fixed":
            return self.fixed
        if value == "string":
            return str(now)
        if value == "float":
            return now + 0.5
        if value == "string_ms":
            return str(now * 1000)
        if value == "ms":
            return now * 1000
        if value.startswith("now"):
            return now + int(value[3:] or 0)
        return json.loads(value)

    def sign(self, key, signed, form):
        if form == "hmac_with_public_key":
            public = key.public_key().public_bytes(
                serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
            return hmac.new(public, signed, hashlib.sha256).digest()
        if form in ("none", "empty"):
            return b""
        if form == "sha512":
            r, s = decode_dss_signature(key.sign(signed, ec.ECDSA(hashes.SHA512())))
            return r.to_bytes(66, "big") + s.to_bytes(66, "big")
        der = key.sign(signed, ec.ECDSA(hashes.SHA256()))
        if form == "der":
            return der
        r, s = decode_dss_signature(der)
        raw = r.to_bytes(32, "big") + s.to_bytes(32, "big")
        if form == "corrupt":
            raw = raw[:-1] + bytes([raw[-1] ^ 1])
        return raw


def encode(data, standard):
    if standard:
        return base64.b64encode(data)
    return base64.urlsafe_b64encode(data).rstrip(b"=")
