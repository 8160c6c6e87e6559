% Read a component file and hold the body at its interface: clamped frequencies beside those that the file stores.
%
%   worst = read_component('panel.h5')
%
% MATLAB reads with h5read, Octave with its own load. HDF5 stores the first index slowest, MATLAB and Octave the
% first index fastest: matrices come with their axes reversed, hence the transposes.
function worst = read_component(file)
  hz = reshape(fetch(file, 'ModalSolution', 'FREQ'), [], 1);
  m = fetch(file, 'RigidBody', 'mass');
  p = fetch(file, 'RigidBody', 'cmoffset');
  J = fetch(file, 'RigidBody', 'inertia')';
  E = fetch(file, 'ModalIntegral', 'P1')';
  F0 = fetch(file, 'ModalIntegral', 'P4')';
  G0 = fetch(file, 'ModalIntegral', 'P6')';
  aset = fetch(file, 'ASET')';
  stored = reshape(fetch(file, 'CraigBampton', 'FREQ'), [], 1);
  M = [J, m * cross_matrix(p), F0; -m * cross_matrix(p), m * eye(3), E; F0', E', G0];
  rows = [];
  for k = 1:size(aset, 1)
    grid = sprintf('%d', aset(k, 1));
    l = fetch(file, 'GridPosition', grid);
    gamma = fetch(file, 'ModalSolution', 'TransModeShape', grid)';
    lambda = fetch(file, 'ModalSolution', 'RotModeShape', grid)';
    motion = [-cross_matrix(l), eye(3), gamma; eye(3), zeros(3), lambda];
    rows = [rows; motion(sprintf('%d', aset(k, 2)) - '0', :)];
  end
  % motions that leave the interface where it is, and the frequencies of the body in them
  scale = 1 ./ sqrt(diag(M));
  Z = diag(scale) * null(rows * diag(scale));
  F = diag(2 * pi * hz) * Z(7:end, :);
  clamped = sort(svd(F / chol(Z' * M * Z))) / (2 * pi);
  worst = max(abs(clamped ./ stored - 1));
  fprintf('%d modes, mass %g, clamped at %g Hz, largest difference %.1e\n', numel(hz), m, clamped(1), worst);
end

function value = fetch(file, varargin)
  if exist('OCTAVE_VERSION', 'builtin')
    value = load(file);
    for k = 1:numel(varargin)
      name = varargin{k};
      if any(name(1) == '0123456789')
        name = ['_' name];
      end
      value = value.(name);
    end
  else
    value = h5read(file, ['/' strjoin(varargin, '/')]);
  end
  value = double(value);
end

function A = cross_matrix(a)
  A = [0 -a(3) a(2); a(3) 0 -a(1); -a(2) a(1) 0];
end
