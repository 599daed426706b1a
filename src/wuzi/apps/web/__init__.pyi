from wuzi.apps.web.app import create_app as create_app
from wuzi.apps.web.server import serve as serve
from wuzi.apps.web.settings import Settings as Settings
