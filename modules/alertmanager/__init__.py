"""Alerts of the owner's Prometheus Alertmanager."""

from modules.alertmanager.module import AlertmanagerModule

MODULE = AlertmanagerModule
