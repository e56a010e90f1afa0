import AsyncHTTPClient
import NIOWebSocket
import NIOSSL
import TOMLKit
