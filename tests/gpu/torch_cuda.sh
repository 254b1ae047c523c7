# The package with PyTorch on a GPU. $MEGACADE_PYTHON is a Python that has both; else that of .venv, then the system's.
for python in ${MEGACADE_PYTHON:-.venv/bin/python python3}; do
    command -v "$python" >/dev/null && "$python" -c 'import torch, megacade' 2>/dev/null && exec "$python" tests/gpu/torch_cuda.py
done
echo "skipped: no Python has both torch and megacade (make package; pip install torch)"
exit 77
