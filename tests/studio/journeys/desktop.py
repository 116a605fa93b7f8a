# SPDX-License-Identifier: GPL-3.0-or-later
"""What a window manager does for the full screen: without one a window only asks for it. Xlib through ctypes, as nothing
else of the tests needs more of it."""

import ctypes
import threading

SUBSTRUCTURE_NOTIFY, CLIENT_MESSAGE, REPLACE, ATOM = 1 << 19, 33, 0, 4


class ClientMessage(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("sent", ctypes.c_int), ("display", ctypes.c_void_p),
                ("window", ctypes.c_ulong), ("kind", ctypes.c_ulong), ("format", ctypes.c_int), ("data", ctypes.c_long * 5)]


class Event(ctypes.Union):
    _fields_ = [("type", ctypes.c_int), ("message", ClientMessage), ("room", ctypes.c_long * 24)]


class FullScreen(threading.Thread):
    """Grants every window of the display the full screen, and takes it back."""

    def __init__(self, width, height):
        super().__init__(daemon=True)
        self.x = ctypes.CDLL("libX11.so.6")
        self.x.XOpenDisplay.restype = ctypes.c_void_p
        self.x.XInternAtom.restype = self.x.XDefaultRootWindow.restype = ctypes.c_ulong
        self.display = ctypes.c_void_p(self.x.XOpenDisplay(None))
        self.full, self.before = (width, height), {}
        self.state, self.wanted, self.atom = (self._intern(name) for name in
                                              ("_NET_WM_STATE", "_NET_WM_STATE_FULLSCREEN", "ATOM"))
        root = ctypes.c_ulong(self.x.XDefaultRootWindow(self.display))
        self.x.XSelectInput(self.display, root, ctypes.c_long(SUBSTRUCTURE_NOTIFY))
        self.x.XFlush(self.display)
        self.start()

    def _intern(self, name):
        return self.x.XInternAtom(self.display, name.encode(), 0)

    def _size(self, window):
        numbers = [ctypes.c_uint() for _ in range(6)]
        root = ctypes.c_ulong()
        self.x.XGetGeometry(self.display, window, ctypes.byref(root), *map(ctypes.byref, numbers))
        return numbers[2].value, numbers[3].value

    def _answer(self, message):
        window = ctypes.c_ulong(message.window)
        if message.kind != self.state or self.wanted not in (message.data[1], message.data[2]):
            return
        on = message.data[0] == 1 or (message.data[0] == 2 and message.window not in self.before)
        if on:
            self.before.setdefault(message.window, self._size(window))
        width, height = self.full if on else self.before.pop(message.window, self.full)
        states = (ctypes.c_ulong * 1)(self.wanted)
        self.x.XChangeProperty(self.display, window, ctypes.c_ulong(self.state), ctypes.c_ulong(ATOM), 32, REPLACE, states,
                               int(on))
        self.x.XMoveResizeWindow(self.display, window, 0, 0, width, height)
        self.x.XFlush(self.display)

    def run(self):
        event = Event()
        while True:
            self.x.XNextEvent(self.display, ctypes.byref(event))
            if event.type == CLIENT_MESSAGE:
                self._answer(event.message)
