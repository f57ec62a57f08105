"""Technology behind the ports. Only app.py names one."""
