"""Alerts of a Prometheus Alertmanager of the person's."""

from modules.alertmanager.module import AlertmanagerModule

MODULE = AlertmanagerModule
