global using Opossum.Testing;
