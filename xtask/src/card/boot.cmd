# Gearshift on the Odroid XU4, for mainline U-Boot. boot.scr is made of this:
#   mkimage -A arm -T script -C none -d boot.cmd boot.scr
if test -z "${devtype}"; then setenv devtype mmc; setenv devnum 2; setenv distro_bootpart 1; fi
setenv bootargs "{bootargs}"
setenv fdt_high {tree_below}
load ${devtype} ${devnum}:${distro_bootpart} {loaded_at} ${prefix}uImage
# Mainline refuses to start without a device tree; its own is always there.
bootm {loaded_at} - ${fdtcontroladdr}
